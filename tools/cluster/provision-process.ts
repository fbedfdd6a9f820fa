// Gives claims for storage their volumes: `node provision-process.ts API_URL CERTIFICATES_FOLDER VOLUMES_FOLDER`.
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createApi } from './api.ts';
import { buildVolume, findReleased, findWaiting } from './volume.ts';
import type { Claim, Volume } from './volume.ts';

const POLL_MS = 500;
const [url = '', certificates = '', folder = ''] = process.argv.slice(2);
const read = (name: string) => readFileSync(join(certificates, name), 'utf8');
const api = createApi(url, read('ca.pem'), { cert: read('server.pem'), key: read('server.key') });

async function list<T>(path: string): Promise<T[]> {
  const { status, body } = await api('GET', path);
  if (status !== 200) throw new Error(`${path} was answered with ${status}`);
  return (body as { items: T[] }).items;
}

async function look(): Promise<void> {
  // From the server's cache: this is asked often.
  const claims = await list<Claim>('/api/v1/persistentvolumeclaims?resourceVersion=0');
  const volumes = await list<Volume>('/api/v1/persistentvolumes?resourceVersion=0');
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
