import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventually } from '../support/eventually.ts';
import { recording } from '../support/recording.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { createTicketKeyPair } from '../support/ticket-keys.ts';
import { setStage, STAGE_TIMEOUT_MS } from './stage.ts';
import type { Stage } from './stage.ts';

const folder = temporaryFolder('ticket-rotation');
const files = { key: join(folder, 'ticket.key'), publicKeys: join(folder, 'keys.pem') };
const [old, next] = [createTicketKeyPair(), createTicketKeyPair()];
/** Time limit for a service to load a changed file. Services check their files every 10 s. */
const RELOAD_MS = 30_000;
let stage: Stage;

beforeAll(async () => {
  writeFileSync(files.key, old.privateKey);
  writeFileSync(files.publicKeys, old.publicKey);
  stage = await setStage({
    gateway: { WORKER_TICKET_KEY_FILE: files.key },
    workers: [{ WORKER_TICKET_PUBLIC_KEYS_FILE: files.publicKeys }],
  });
}, STAGE_TIMEOUT_MS);
afterAll(() => stage.stop());

async function transcribe(): Promise<string> {
  const { stream } = await stage.ready();
  stream.audio(recording().pcm);
  stream.send({ type: 'flush' });
  const { text } = await stream.next('final');
  stream.close();
  return text;
}

/** Replaces a file and waits until a service has loaded it. */
async function replace(file: string, content: string, service: { output: () => string }): Promise<void> {
  const reloads = () => service.output().split('the file was reloaded').length;
  const before = reloads();
  writeFileSync(file, content);
  await eventually(`${file} is reloaded`, RELOAD_MS, () => reloads() > before);
}

test('the ticket key is rotated without a restart: first for workers, then for gateways', async () => {
  const [worker] = stage.workers;
  const text = await transcribe();
  expect(text).not.toBe('');
  await replace(files.publicKeys, old.publicKey + next.publicKey, worker!);
  expect(await transcribe()).toBe(text);
  await replace(files.key, next.privateKey, stage.gateway);
  expect(await transcribe()).toBe(text);
  await replace(files.publicKeys, next.publicKey, worker!);
  expect(await transcribe()).toBe(text);
  expect(stage.gateway.output()).not.toContain('moves to another worker');
}, 180_000);
