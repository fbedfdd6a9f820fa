import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { createCertificateSource } from '../../operator/src/workers/cluster/secret/certificate-source.ts';
import { createCa } from '../support/ca.ts';
import { startCuttingProxy } from '../support/cutting-proxy.ts';
import type { CuttingProxy } from '../support/cutting-proxy.ts';
import { eventually } from '../support/eventually.ts';
import { MODEL, startGateway } from '../support/gateway.ts';
import { freePort } from '../support/ports.ts';
import { recording } from '../support/recording.ts';
import { createSession, openStream } from '../support/stream-client.ts';
import { STAGE_TIMEOUT_MS, setStage } from './stage.ts';
import type { Stage } from './stage.ts';

const DOMAIN = 'workers.test.internal';
const folder = mkdtempSync(join(tmpdir(), 'svc-asr-worker-tls-'));
const file = (name: string) => join(folder, name);
const trust = { WORKER_CA_FILE: file('ca.crt'), WORKER_SERVER_NAME: DOMAIN };
let stage: Stage;
/** Proxy in front of the worker whose certificate is for the model of the streams. The proxy can cut connections. */
let proxy: CuttingProxy;

beforeAll(async () => {
  const now = new Date();
  const ca = await createCa(now);
  writeFileSync(file('ca.crt'), ca.cert);
  writeFileSync(file('ca.key'), ca.key);
  writeFileSync(file('unknown.crt'), (await createCa(now)).cert);
  const port = await freePort();
  proxy = await startCuttingProxy(port);
  const own = { PORT: String(port), ADVERTISE_ADDRESS: `wss://127.0.0.1:${proxy.port}`, RESUME_TIMEOUT_MS: '60000' };
  stage = await setStage({
    // On a busy machine, it may take long to resume a connection. The silence timeout must not move the stream
    // meanwhile.
    gateway: { ...trust, WORKER_SILENCE_TIMEOUT_MS: '30000' },
    workers: [{ ...(await certificateFiles(MODEL)), ...own }, await certificateFiles('another-model'), {}],
  });
}, STAGE_TIMEOUT_MS);
afterAll(async () => {
  await stage.stop();
  rmSync(folder, { recursive: true, force: true });
});

/**
 * Writes the certificate that the operator issues for a model. Returns the settings of a worker that uses this
 * certificate.
 */
async function certificateFiles(model: string): Promise<{ TLS_CERT_FILE: string; TLS_KEY_FILE: string }> {
  const source = createCertificateSource({
    caCertFile: file('ca.crt'),
    caKeyFile: file('ca.key'),
    serverName: DOMAIN,
    validityDays: 90,
    nowMs: Date.now,
  });
  const values = await source(model, {});
  mkdirSync(file(model), { recursive: true });
  for (const key of ['tls.crt', 'tls.key']) writeFileSync(join(file(model), key), values[key] ?? '', { mode: 0o600 });
  return { TLS_CERT_FILE: join(file(model), 'tls.crt'), TLS_KEY_FILE: join(file(model), 'tls.key') };
}

const refusals = (output: string) =>
  output.split('\n').filter((line) => line.includes('a stream moves to another worker'));

/** Returns why the gateway has refused workers, by worker id. */
function reasonsIn(output: string): Record<string, string> {
  const lines = refusals(output).map((line) => JSON.parse(line) as { worker: string; reason: string });
  return Object.fromEntries(lines.map(({ worker, reason }) => [worker, reason]));
}

test('streams are served only by the worker with the certificate of their model, although other workers are registered', async () => {
  const [, another, plain] = stage.workers;
  const streams = [];
  // Open streams occupy slots of their worker. The gateway therefore tries the other workers first for the next
  // streams.
  while (Object.keys(reasonsIn(stage.gateway.output())).length < 2 && streams.length < 15) {
    streams.push((await stage.ready()).stream);
  }
  expect(reasonsIn(stage.gateway.output())).toEqual({
    [another?.id ?? '']:
      `the certificate of the worker is for DNS:another-model.${DOMAIN}, DNS:${DOMAIN}, not for ${MODEL}.${DOMAIN}`,
    [plain?.id ?? '']: expect.stringMatching(
      /^the worker registered the address ws:\/\/127.0.0.1:\d+, which is not of the form wss:\/\/HOST:PORT$/,
    ),
  });
  const last = streams.at(-1);
  last?.audio(recording().pcm);
  last?.send({ type: 'flush' });
  expect((await last?.next('final'))?.text).not.toBe('');
  for (const stream of streams) stream.close();
});

test('a stream continues at its worker without a move when its TLS connection is lost', async () => {
  const count = async (metric: string, label = '') => {
    const text = await (await fetch(`${stage.gateway.adminUrl}/metrics`)).text();
    const lines = text.split('\n').filter((line) => line.startsWith(metric) && line.includes(label));
    return lines.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
  };
  const resumes = () => count('svc_asr_worker_connection_losses_total', 'outcome="resumed"');
  const { pcm } = recording();
  const transcribe = async (cuts: number) => {
    const { stream } = await stage.ready();
    const moves = await count('svc_asr_stream_moves_total');
    const part = Math.ceil(pcm.length / (cuts + 1) / 2) * 2;
    for (let at = 0; at < pcm.length; at += part) {
      stream.audio(pcm.subarray(at, at + part));
      if (at + part >= pcm.length) break;
      const before = await resumes();
      proxy.cutAfter(undefined);
      await eventually('the connection is resumed', 60_000, async () => (await resumes()) > before);
    }
    stream.send({ type: 'flush' });
    const { text } = await stream.next('final', 60_000);
    expect(await count('svc_asr_stream_moves_total')).toBe(moves);
    stream.close();
    return text;
  };
  expect(await transcribe(3)).toBe(await transcribe(0));
}, 180_000);

test.each([
  ['is from an unknown CA', { ...trust, WORKER_CA_FILE: file('unknown.crt') }, /certificate/],
  [
    'has another domain',
    { ...trust, WORKER_SERVER_NAME: 'other.internal' },
    new RegExp(`not for ${MODEL}.other.internal`),
  ],
])(
  'a gateway opens no stream at a worker whose certificate %s',
  async (_name, env, reason) => {
    const gateway = await startGateway(stage.redis.url, stage.prefix, env);
    try {
      const { key } = await stage.caller();
      const stream = await openStream(await createSession(gateway, key));
      const [own] = stage.workers;
      await eventually('the gateway avoids the worker', 30_000, () =>
        refusals(gateway.output()).some((line) => line.includes(own?.id ?? '') && reason.test(line)),
      );
      expect(stream.events.some(({ type }) => type === 'ready')).toBe(false);
      stream.close();
    } finally {
      await gateway.stop();
    }
  },
  120_000,
);

test('a worker presents a renewed certificate without a restart', async () => {
  const [own] = stage.workers;
  const found = (await stage.ledger.workers.list(MODEL)).find(({ id }) => id === own?.id);
  const { hostname, port } = new URL(found?.address ?? '');
  const readSerial = () =>
    new Promise<string>((resolve, reject) => {
      const socket = connect({ host: hostname, port: Number(port), rejectUnauthorized: false }, () => {
        resolve(socket.getPeerCertificate().serialNumber);
        socket.destroy();
      }).once('error', reject);
    });
  const before = await readSerial();
  await certificateFiles(MODEL);
  await eventually('the worker shows the new certificate', 40_000, async () => (await readSerial()) !== before);
  const { stream } = await stage.ready();
  stream.close();
});
