// Gives claims for storage their volumes: `node provision-process.ts API_URL CERTIFICATES_FOLDER VOLUMES_FOLDER`.
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { openInside } from './inside.ts';
import { buildVolume, findReleased, findWaiting } from './volume.ts';
import type { Claim, Volume } from './volume.ts';

const POLL_MS = 500;
const [url = '', certificates = '', folder = ''] = process.argv.slice(2);
const { api, list } = openInside(url, certificates);

async function look(): Promise<void> {
  const claims = await list<Claim>('/api/v1/persistentvolumeclaims');
  const volumes = await list<Volume>('/api/v1/persistentvolumes');
  for (const claim of findWaiting(claims, volumes)) {
    const { volume, path } = buildVolume(claim, folder);
    mkdirSync(path, { recursive: true });
    await api('POST', '/api/v1/persistentvolumes', volume);
  }
  for (const { metadata } of findReleased(volumes)) {
    await api('DELETE', `/api/v1/persistentvolumes/${metadata.name}`);
    rmSync(join(folder, metadata.name), { recursive: true, force: true });
  }
}

for (;;) {
  await look().catch((error: unknown) => process.stderr.write(`${String(error)}\n`));
  await sleep(POLL_MS);
}
