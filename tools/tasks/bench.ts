import { globSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseBenchArguments } from '../bench/arguments.ts';
import type { Benchmark } from '../bench/benchmark.ts';
import { buildTable } from '../bench/table.ts';
import { REDIS } from '../install/programs.ts';
import { ensureInstalled } from '../install/system-package.ts';
import { messageOf, root, runTask, logProgress, userPath } from '../launch/terminal.mjs';

await runTask(async () => {
  const folder = join(root, 'bench');
  const known = globSync('*/index.ts', { cwd: folder }).map(dirname).sort();
  const { names, jsonFile, size, part } = parseBenchArguments(process.argv.slice(2), known);
  await ensureInstalled(REDIS);
  for (const name of names) {
    logProgress(`bench ${name}`);
    const { bench, PARTS = [] } = (await import(join(folder, name, 'index.ts'))) as Benchmark;
    if (part !== undefined && !PARTS.includes(part)) {
      throw new Error(`bench ${name} has no part "${part}". Its parts are: ${PARTS.join(', ') || 'none'}`);
    }
    const { ratios, figures } = await bench({ logProgress, size, part }).catch((error: unknown) => {
      throw new Error(`bench ${name} failed: ${messageOf(error)}`);
    });
    process.stdout.write(`${buildTable(name, { ratios, figures })}\n`);
    if (jsonFile !== undefined) {
      writeFileSync(userPath(jsonFile), `${JSON.stringify({ bench: name, ratios, figures }, null, 2)}\n`);
    }
  }
  return 0;
});
