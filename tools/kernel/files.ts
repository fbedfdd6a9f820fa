import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import createWabt from 'wabt';
import { root } from '../launch/terminal.mjs';

const FOLDER = 'worker/src/features';
const LINE = 100;

/** Compiles the feature kernel. Returns the generated file by its path from the root of the repository. */
export async function buildKernelFiles(): Promise<Readonly<Record<string, string>>> {
  const wabt = await createWabt();
  const source = readFileSync(join(root, FOLDER, 'kernel.wat'), 'utf8');
  const { buffer } = wabt.parseWat('kernel.wat', source, { simd: true }).toBinary({});
  const lines = Buffer.from(buffer)
    .toString('base64')
    .match(new RegExp(`.{1,${LINE}}`, 'gu'));
  const text = (lines ?? []).map((line) => `  '${line}'`).join(' +\n');
  return {
    [`${FOLDER}/kernel-code.ts`]: `/** Code of the feature kernel. Generated from kernel.wat by \`npm run kernel\`. */\nexport const KERNEL_CODE =\n${text};\n`,
  };
}
