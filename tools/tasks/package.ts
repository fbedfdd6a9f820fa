import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { logProgress, root } from '../launch/terminal.mjs';
import { buildClientPackage } from '../package/client.ts';
import { writeTarball } from '../package/tarball.ts';

const files = await buildClientPackage(root);
const { version } = JSON.parse(files.get('package.json') ?? '') as { version: string };
const folder = join(root, '.svc-asr/packages');
mkdirSync(folder, { recursive: true });
const path = join(folder, `svc-asr-client-${version}.tgz`);
await writeTarball(files, path);
logProgress(`wrote ${path}`);
