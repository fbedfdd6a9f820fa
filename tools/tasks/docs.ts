import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildPages } from '../docs/pages.ts';
import { root, say } from '../launch/terminal.mjs';

for (const [name, page] of Object.entries(buildPages())) {
  writeFileSync(join(root, 'docs', name), page);
  say(`docs/${name}`);
}
