// Lays out what goes into an image, for its Dockerfile: `node tools/images/stage.ts IMAGE PLATFORM FOLDER`.
// Every layer gets a folder of its own.
import { chmodSync, copyFileSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { root, stop } from '../launch/terminal.mjs';
import { listContents } from './contents.ts';
import type { ImageFile } from './image-file.ts';
import { IMAGES, titleOf } from './image.ts';
import { PLATFORMS } from './platform.ts';
import type { Platform } from './platform.ts';
import { fetchSources } from './sources.ts';

function write(folder: string, { path, mode, from }: ImageFile): void {
  const target = join(folder, path);
  mkdirSync(from === 'folder' ? target : dirname(target), { recursive: true });
  if (from !== 'folder') {
    rmSync(target, { force: true });
    if ('link' in from) {
      symlinkSync(from.link, target);
      return;
    }
    if ('text' in from) writeFileSync(target, from.text);
    else copyFileSync(from.file, target);
  }
  chmodSync(target, mode);
}

const [title, platformName, folder] = process.argv.slice(2);
const image = IMAGES.find((one) => titleOf(one) === title);
const platform = (Object.keys(PLATFORMS) as Platform[]).find((name) => name === platformName);
if (image === undefined || platform === undefined || folder === undefined) {
  stop(
    `usage: node tools/images/stage.ts IMAGE PLATFORM FOLDER, where IMAGE is one of ${IMAGES.map(titleOf).join(', ')}`,
  );
}
for (const layer of listContents(image, platform, await fetchSources(root, platform, image)).layers) {
  for (const file of layer.files) write(join(folder, layer.name), file);
}
