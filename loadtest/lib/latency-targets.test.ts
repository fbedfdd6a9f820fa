import { buildThresholds } from './latency-targets.ts';
import { isScenario, SCENARIOS } from './scenarios.ts';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

test('buildThresholds creates a threshold for each latency target that counts only regular tenants', () => {
  expect(buildThresholds({ delta: 300, final: 600, ready: 1000 })).toEqual({
    'delta_latency{role:regular}': ['p(95)<=300'],
    'final_latency{role:regular}': ['p(95)<=600'],
    'ready_latency{role:regular}': ['p(95)<=1000'],
  });
});

test.each(Object.keys(SCENARIOS))('the scenario %s has a k6 script of the same name', (name) => {
  expect(existsSync(join(import.meta.dirname, '..', `${name}.ts`))).toBe(true);
});

test('isScenario accepts only the names of scenarios', () => {
  expect(isScenario('smoke')).toBe(true);
  expect(isScenario('constructor')).toBe(false);
});
