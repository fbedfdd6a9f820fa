import { buildHelp } from './help.ts';

test('the help names every scenario and every option', () => {
  expect(buildHelp()).toMatch(/smoke +A few streams/);
  expect(buildHelp()).toMatch(/FRAME_MS +Audio in one frame.*\[100\]/);
});
