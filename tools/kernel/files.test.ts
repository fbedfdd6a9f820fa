import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../launch/terminal.mjs';
import { buildKernelFiles } from './files.ts';

test('the generated code of the feature kernel is compiled from the current kernel.wat', async () => {
  for (const [name, content] of Object.entries(await buildKernelFiles())) {
    expect(readFileSync(join(root, name), 'utf8')).toBe(content);
  }
});
