import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readGpuName } from './gpu-name.ts';

let folder: string;
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'svc-asr-gpus-'))));
afterEach(() => rmSync(folder, { recursive: true }));

test('readGpuName returns the model of the first GPU that the driver describes', () => {
  for (const [bus, model] of [
    ['0000:1b:00.0', 'Tesla T4'],
    ['0000:0a:00.0', 'NVIDIA H200'],
  ] as const) {
    mkdirSync(join(folder, bus));
    writeFileSync(join(folder, bus, 'information'), `Model: \t\t ${model}\nIRQ:   \t\t 18\n`);
  }
  expect(readGpuName(folder)).toBe('NVIDIA H200');
});

test('readGpuName returns undefined if the driver describes no GPU', () => {
  expect(readGpuName(folder)).toBeUndefined();
  expect(readGpuName(join(folder, 'missing'))).toBeUndefined();
  mkdirSync(join(folder, 'x'));
  writeFileSync(join(folder, 'x', 'information'), 'IRQ: 18\n');
  expect(readGpuName(folder)).toBeUndefined();
});
