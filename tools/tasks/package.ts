import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { checkTypes } from '../checks/programs.ts';
import { logProgress, root } from '../launch/terminal.mjs';
import { buildClientPackage } from '../package/client.ts';
import { writeTarball } from '../package/tarball.ts';

// The build does not check types, and a wrong type would become part of the package.
if ((await checkTypes()) !== 0) process.exit(1);
const files = await buildClientPackage(root);
const { version } = JSON.parse(files.get('package.json') ?? '') as { version: string };
const folder = join(root, '.svc-asr/packages');
mkdirSync(folder, { recursive: true });
const path = join(folder, `svc-asr-client-${version}.tgz`);
await writeTarball(files, path);
logProgress(`wrote ${path}`);
