import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseImageArguments, USAGE } from '../images/arguments.ts';
import { buildImages } from '../images/build-all.ts';
import { buildDockerfiles } from '../images/dockerfile.ts';
import { platformOf } from '../images/platform.ts';
import { describeImage } from '../images/report.ts';
import { root, say, stop } from '../launch/terminal.mjs';
import { homeOf } from '../start/home.ts';

async function run(): Promise<void> {
  const chosen = parseImageArguments(process.argv.slice(2), platformOf(process.arch));
  if (chosen === undefined) {
    process.stdout.write(USAGE);
    return;
  }
  if (chosen.dockerfiles) {
    writeDockerfiles();
    return;
  }
  const out =
    chosen.out === undefined
      ? join(homeOf(process.env).path, 'images')
      : resolve(process.env.INIT_CWD ?? root, chosen.out);
  const { images, redis, platform } = chosen;
  for (const image of await buildImages({ root, out, images, redis, platform })) {
    say(describeImage(image));
    process.stdout.write(`${image.file}\n`);
  }
}

function writeDockerfiles(): void {
  mkdirSync(join(root, 'images'), { recursive: true });
  for (const [name, text] of Object.entries(buildDockerfiles())) {
    writeFileSync(join(root, 'images', name), text);
    say(`images/${name}`);
  }
}

try {
  await run();
} catch (error) {
  stop(error instanceof Error ? error.message : String(error));
}
