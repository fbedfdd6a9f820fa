import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { buildChartFiles } from '../charts/files.ts';
import { root, say } from '../launch/terminal.mjs';

for (const [name, content] of Object.entries(await buildChartFiles())) {
  const file = join(root, name);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
  say(name);
}
