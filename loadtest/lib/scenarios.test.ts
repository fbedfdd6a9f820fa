import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { isScenario, SCENARIOS } from './scenarios.ts';

test.each(Object.keys(SCENARIOS))('the scenario %s has a k6 script of the same name', (name) => {
  expect(existsSync(join(import.meta.dirname, '..', `${name}.ts`))).toBe(true);
});

test('isScenario accepts only the names of scenarios', () => {
  expect(isScenario('smoke')).toBe(true);
  expect(isScenario('constructor')).toBe(false);
});
