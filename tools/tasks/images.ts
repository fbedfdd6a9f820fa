import { join, resolve } from 'node:path';
import { parseImageArguments, USAGE } from '../images/arguments.ts';
import { buildImages } from '../images/build-all.ts';
import { platformOf } from '../images/platform.ts';
import { verifyImages } from '../images/verify.ts';
import { root, say, stop } from '../launch/terminal.mjs';
import { homeOf } from '../start/home.ts';

async function run(): Promise<void> {
  const chosen = parseImageArguments(process.argv.slice(2), platformOf(process.arch));
  if (chosen === undefined) {
    process.stdout.write(USAGE);
    return;
  }
  const { images, redis, platform, verify } = chosen;
  const out =
    chosen.out === undefined
      ? join(homeOf(process.env).path, 'images')
      : resolve(process.env.INIT_CWD ?? root, chosen.out);
  const built = await buildImages({ root, out, images, redis, platform });
  for (const { reference, file, bytes } of built) {
    say(`${reference} ${platform}: ${(bytes / 1e6).toFixed(1)} MB`);
    process.stdout.write(`${file}\n`);
  }
  if (verify) verifyImages(built);
}

try {
  await run();
} catch (error) {
  stop(error instanceof Error ? error.message : String(error));
}
