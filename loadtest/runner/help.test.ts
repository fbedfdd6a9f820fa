import { buildHelp } from './help.ts';

test('buildHelp lists scenarios and options', () => {
  expect(buildHelp()).toMatch(/smoke +A few streams/);
  expect(buildHelp()).toMatch(/FRAME_MS +Audio in one frame.*\[100\]/);
});
