import { join } from 'node:path';
import { parseImageArguments, USAGE } from '../images/arguments.ts';
import { buildImages } from '../images/build-all.ts';
import { platformOf } from '../images/platform.ts';
import { verifyImages } from '../images/verify.ts';
import { root, runTask, logProgress, userPath } from '../launch/terminal.mjs';
import { homeOf } from '../start/home.ts';

await runTask(async () => {
  const chosen = parseImageArguments(process.argv.slice(2), platformOf(process.arch));
  if (chosen === undefined) {
    process.stdout.write(USAGE);
    return 0;
  }
  const { images, redis, platform, verify } = chosen;
  const out = chosen.out === undefined ? join(homeOf(process.env).path, 'images') : userPath(chosen.out);
  const built = await buildImages({ root, out, images, redis, platform });
  for (const { reference, file, bytes } of built) {
    logProgress(`${reference} ${platform}: ${(bytes / 1e6).toFixed(1)} MB`);
    process.stdout.write(`${file}\n`);
  }
  if (verify) await verifyImages(built);
  return 0;
});
