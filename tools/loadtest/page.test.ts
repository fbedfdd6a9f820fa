import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../launch/terminal.mjs';
import { buildHelp, buildKnobTable, buildScenarioTable } from './help.ts';

const page = readFileSync(join(root, 'docs', 'load-testing.md'), 'utf8');

test.each([
  ['scenarios', buildScenarioTable()],
  ['knobs', buildKnobTable()],
])('docs/load-testing.md holds the table of %s that the code has', (_name, table) => {
  expect(page).toContain(table);
});

test('the help names every scenario and every knob', () => {
  expect(buildHelp()).toMatch(/smoke +A few streams/);
  expect(buildHelp()).toMatch(/FRAME_MS +Audio in one frame.*\[100\]/);
});
