import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createCa, createServerCertificate } from '../../tools/start/certificates.ts';
import { eventually } from '../support/eventually.ts';
import { startGateway } from '../support/gateway.ts';
import { recording } from '../support/recording.ts';
import { createSession, openStream } from '../support/stream-client.ts';
import { STAGE_TIMEOUT_MS, setStage } from './stage.ts';
import type { Stage } from './stage.ts';

/** All workers share one certificate name, because their addresses are in no certificate. */
const NAME = 'worker.svc-asr.internal';
const folder = mkdtempSync(join(tmpdir(), 'svc-asr-worker-tls-'));
const file = (name: string) => join(folder, name);
const trust = { WORKER_CA_FILE: file('ca.crt'), WORKER_SERVER_NAME: NAME };
let stage: Stage;

beforeAll(async () => {
  const now = new Date();
  const authority = await createCa(now);
  const server = await createServerCertificate(authority, [NAME], now);
  writeFileSync(file('ca.crt'), authority.cert);
  writeFileSync(file('stranger.crt'), (await createCa(now)).cert);
  writeFileSync(file('tls.crt'), server.cert);
  writeFileSync(file('tls.key'), server.key, { mode: 0o600 });
  stage = await setStage({
    gateway: trust,
    workers: [{ TLS_CERT_FILE: file('tls.crt'), TLS_KEY_FILE: file('tls.key') }],
  });
}, STAGE_TIMEOUT_MS);
afterAll(async () => {
  await stage.stop();
  rmSync(folder, { recursive: true, force: true });
});

test('a gateway reaches its worker over TLS by the name that all workers share', async () => {
  const { stream } = await stage.ready();
  stream.audio(recording().pcm);
  stream.send({ type: 'flush' });
  expect((await stream.next('final')).text).not.toBe('');
  stream.close();
}, 60_000);

test.each([
  ['whose certificate is from an unknown CA', { ...trust, WORKER_CA_FILE: file('stranger.crt') }],
  ['whose certificate has another name', { ...trust, WORKER_SERVER_NAME: 'other.internal' }],
])(
  'a gateway sends no audio to a worker %s',
  async (_name, env) => {
    const gateway = await startGateway(stage.redis.url, stage.prefix, env);
    try {
      const { key } = await stage.caller();
      const stream = await openStream(await createSession(gateway, key));
      await eventually('the gateway avoids the worker', 30_000, () =>
        /certificate|altnames/i.test(/.*a stream moves to another worker.*/.exec(gateway.output())?.[0] ?? ''),
      );
      expect(stream.events.some(({ type }) => type === 'ready')).toBe(false);
      stream.close();
    } finally {
      await gateway.stop();
    }
  },
  60_000,
);
