import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseBenchArguments } from '../bench/arguments.ts';
import type { Benchmark } from '../bench/benchmark.ts';
import { buildTable } from '../bench/table.ts';
import { ensureRedisServer } from '../install/redis.ts';
import { root, say, stop } from '../launch/terminal.mjs';

const folder = join(root, 'bench');
const known = readdirSync(folder)
  .filter((name) => existsSync(join(folder, name, 'index.ts')))
  .sort();

function readArguments() {
  try {
    return parseBenchArguments(process.argv.slice(2), known);
  } catch (error) {
    return stop(error instanceof Error ? error.message : String(error));
  }
}

const { names, jsonFile, size } = readArguments();
ensureRedisServer();
for (const name of names) {
  say(`bench ${name}`);
  const { bench } = (await import(join(folder, name, 'index.ts'))) as Benchmark;
  const result = await bench({ say, size }).catch((error: unknown) =>
    stop(`bench ${name} failed: ${error instanceof Error ? error.message : String(error)}`),
  );
  process.stdout.write(`${buildTable(name, result)}\n`);
  if (jsonFile !== undefined) {
    const file = resolve(process.env.INIT_CWD ?? root, jsonFile);
    writeFileSync(
      file,
      `${JSON.stringify({ bench: name, ratios: result.ratios, figures: result.figures }, null, 2)}\n`,
    );
  }
}
process.exit(0);
