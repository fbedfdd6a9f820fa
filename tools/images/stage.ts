// Lays out layers for images/Dockerfile: `node tools/images/stage.ts PLATFORM FOLDER [LAYER...]`.
// Without LAYER, it lays out all layers but k6, which needs Go, and cuda, which the Dockerfile lays out itself.
import { chmodSync, copyFileSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../launch/terminal.mjs';
import { fetchSources, listLayer } from './contents.ts';
import { withFolders } from './files.ts';
import type { ImageFile } from './files.ts';
import { IMAGES } from './image.ts';
import type { Platform } from './platform.ts';

function write(target: string, { mode, from }: ImageFile): void {
  if (from === 'folder') mkdirSync(target, { recursive: true });
  else if ('link' in from) {
    symlinkSync(from.link, target);
    return;
  } else if ('text' in from) writeFileSync(target, from.text);
  else copyFileSync(from.file, target);
  chmodSync(target, mode);
}

const [platform, folder = '', ...named] = process.argv.slice(2);
const all = new Set(IMAGES.flatMap(({ layers }) => layers).filter((layer) => layer !== 'k6'));
const layers = named.length > 0 ? named : [...all];
const sources = await fetchSources(root, platform as Platform, layers);
for (const layer of layers) {
  mkdirSync(join(folder, layer), { recursive: true });
  for (const file of withFolders(listLayer(layer, sources))) write(join(folder, layer, file.path), file);
}
