import { buildThresholds } from './promises.ts';
import { isScenario, SCENARIOS } from './scenarios.ts';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

test('each promise is a threshold for those whom it is made to', () => {
  expect(buildThresholds({ delta: 300, final: 600, ready: 1000 })).toEqual({
    'delta_latency{role:regular}': ['p(95)<=300'],
    'final_latency{role:regular}': ['p(95)<=600'],
    'ready_latency{role:regular}': ['p(95)<=1000'],
  });
});

test.each(Object.keys(SCENARIOS))('%s has a script of its name', (name) => {
  expect(existsSync(join(import.meta.dirname, '..', `${name}.ts`))).toBe(true);
});

test('only names of scenarios are scenarios', () => {
  expect(isScenario('smoke')).toBe(true);
  expect(isScenario('constructor')).toBe(false);
});
