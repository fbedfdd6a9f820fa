import { buildHelp } from './help.ts';

test('buildHelp lists scenarios, flags and environment variables', () => {
  expect(buildHelp()).toMatch(/smoke +A few streams/);
  expect(buildHelp()).toMatch(/--slow-worker +Slows down/);
  expect(buildHelp()).toMatch(/--halve-cpu +Limits the worker/);
  expect(buildHelp()).toMatch(/FRAME_MS +Audio in one frame.*\[100\]/);
});
