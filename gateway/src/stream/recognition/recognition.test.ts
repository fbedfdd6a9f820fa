import { generateKeyPairSync } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createServer } from 'node:tls';
import { LedgerUnavailable } from '@svc-asr/ledger';
import type { Placement } from '@svc-asr/ledger';
import { createMetrics } from '@svc-asr/runtime';
import { createCertificate } from '../../../../test/support/certificate.ts';
import { eventually } from '../../../../test/support/eventually.ts';
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts';
import { createGatewayMetrics } from '../../metrics.ts';
import { StreamWatch } from '../../telemetry/stream-watch.ts';
import { buildConfiguration } from '../configuration.ts';
import { Recognition } from './recognition.ts';
import type { StreamParts, StreamSession } from '../session.ts';
import { Utterances } from './utterances.ts';
import type { ChannelEvents, ChannelRequest, WorkerChannel } from './worker-channel.ts';
import { WorkerConnections } from './worker-connections.ts';
import { createWorkerTrust } from './worker-trust.ts';
import { createQuietWaiters } from '../../testing/waiters.ts';

const watch = new StreamWatch({
  metrics: createGatewayMetrics(createMetrics('gateway')),
  trace: undefined,
  model: 'm',
  requestedAtMs: 0,
});
const SESSION = { sessionId: 's', tenant: 't', model: 'm', maxWaitMs: 60_000, watch } as StreamSession;

/** Starts the recognition of a stream that has unanswered audio. `place` assigns its workers. */
function startRecognition(
  place: () => Promise<Placement>,
  caFile = '/ca.crt',
  replaced: Partial<Record<keyof StreamParts, unknown>> = {},
) {
  const events: string[] = [];
  const parts = {
    ledger: { pools: { place }, now: Date.now },
    waiters: createQuietWaiters(),
    times: { statusMs: 1_000_000, workerAvoidMs: 50, workerOpenMs: 10_000, ticketMs: 10_000 },
    ticker: { add: () => undefined, remove: () => undefined },
    tallies: { countStream: () => events.push('counted'), countDelta: () => undefined },
    ticketKey: { current: { id: 'k', privateKey: generateKeyPairSync('ed25519').privateKey } },
    workerTrust: createWorkerTrust({ caFile, serverName: 'workers.internal' }),
    workerConnections: new WorkerConnections(),
    logger: { error: () => events.push('logged'), info: () => events.push('moved') },
    ...replaced,
  } as unknown as StreamParts;
  const utterances = new Utterances();
  utterances.append(Buffer.alloc(2));
  const recognition = new Recognition(parts, SESSION, utterances, {
    onWait: () => events.push('wait'),
    onPlaced: () => events.push('placed'),
    onOpened: () => events.push('opened'),
    onAnswer: () => events.push('answer'),
    onConfigurationRefused: (part) => events.push(`${part} refused`),
    onFailed: (code) => events.push(code),
  });
  return { events, recognition, utterances };
}

test('Recognition fails its stream with internal_error when Redis rejects the placement', async () => {
  const { events } = startRecognition(() => Promise.reject(new Error('NOPERM')));
  await eventually('the stream fails', 20_000, () => events.length > 1);
  expect(events).toEqual(['logged', 'internal_error']);
});

test('Recognition repeats the placement while Redis is unavailable, until the recognition is stopped', async () => {
  let requests = 0;
  const { events, recognition } = startRecognition(() => {
    requests++;
    return Promise.reject(new LedgerUnavailable('unavailable'));
  });
  await eventually('the placement is retried', 20_000, () => requests > 2);
  recognition.stop();
  const requestsAtStop = requests;
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(requests).toBeLessThanOrEqual(requestsAtStop + 1);
  expect(events).toEqual(['wait']);
});

test('Recognition sends all audio for which the worker owes an answer, even if the worker does not report early_samples', async () => {
  const CHUNK_SAMPLES = 17_920;
  let sent = 0;
  const links: ChannelEvents[] = [];
  const open = (_request: ChannelRequest, events: ChannelEvents): WorkerChannel => {
    links.push(events);
    const audio = (pcm: Buffer) => (sent += pcm.length / 2);
    return { aliveAtMs: Infinity, audio, mark: () => undefined, close: () => undefined };
  };
  const worker = { id: 'w', revision: 'r', address: 'wss://w' };
  const { recognition, utterances } = startRecognition(() => Promise.resolve({ outcome: 'placed', worker }), '', {
    workerTrust: { check: () => ({ tls: {} }) },
    workerConnections: { pickAddress: () => 'wss://w', open, retire: () => undefined },
  });
  const { onAnswer } = await eventually('the worker is assigned', 20_000, () => links[0]);
  onAnswer({ type: 'opened', chunk_samples: CHUNK_SAMPLES, context: [56, 13], buffer_samples: 65_536 });
  const add = (samples: number) => {
    utterances.append(Buffer.alloc(2 * samples));
    recognition.forwardAudio();
  };
  add(CHUNK_SAMPLES);
  // Features overlap, so a worker reports fewer consumed samples than the recognized chunk contains.
  utterances.current.consume(CHUNK_SAMPLES - 1321);
  while (!utterances.owesAnswer(CHUNK_SAMPLES)) add(320);
  expect(sent).toBe(utterances.acceptedSamples);
  expect(sent).toBeLessThan(2 * CHUNK_SAMPLES);
  recognition.stop();
});

const PHRASES = { config: { phrases: [{ text: 'nyeri' }] }, request: { phrases: [{ text: 'nyeri', boost: 5 }] } };

test.each([
  {
    part: 'endpointing',
    config: { endpointing: { silence_ms: 500 } },
    request: { endpointing: { silenceMs: 500, notBefore: 1 } },
    confirmation: { endpointing: true },
    lack: {},
  },
  { part: 'phrasesNotYet', ...PHRASES, confirmation: { phrases: true }, lack: {} },
  { part: 'phrases', ...PHRASES, confirmation: { phrases: true }, lack: { phrases: false } },
])(
  'Recognition refuses a feature ($part) that the worker lacks, and replaces a worker that lacks a feature that the stream already uses',
  async ({ part, config, request, confirmation, lack }) => {
    const links: { request: ChannelRequest; events: ChannelEvents }[] = [];
    const open = (asked: ChannelRequest, events: ChannelEvents): WorkerChannel => {
      links.push({ request: asked, events });
      return { aliveAtMs: Infinity, audio: () => undefined, mark: () => undefined, close: () => undefined };
    };
    const worker = { id: 'w', revision: 'r', address: 'wss://w' };
    const { events, recognition, utterances } = startRecognition(
      () => Promise.resolve({ outcome: 'placed', worker }),
      '',
      {
        workerTrust: { check: () => ({ tls: {} }) },
        workerConnections: { pickAddress: () => 'wss://w', open, retire: () => undefined },
      },
    );
    const opened = { type: 'opened', chunk_samples: 10, context: [56, 13], buffer_samples: 100 } as const;
    const answer = async (at: number, isSupported: boolean) => {
      const link = await eventually('the worker is assigned', 20_000, () => links[at]);
      link.events.onAnswer({ ...opened, context: [56, 13], ...(isSupported ? confirmation : lack) });
      return link;
    };
    await answer(0, false);
    recognition.reopen(buildConfiguration(config));
    await answer(1, false);
    expect(events.slice(2)).toEqual(['placed', `${part} refused`]);
    recognition.reopen(buildConfiguration());
    await answer(2, false);
    recognition.reopen(buildConfiguration(config));
    const third = await answer(3, true);
    utterances.head.deliver(1);
    third.events.onLost('killed');
    const fourth = await answer(4, false);
    expect(fourth.request).toMatchObject(request);
    await answer(5, true);
    // The lost worker counts as a failure of its revision. The worker that has not applied the whole configuration does
    // not.
    expect(events.slice(-6)).toEqual(['moved', 'counted', 'placed', 'moved', 'placed', 'opened']);
    recognition.stop();
  },
);

describe('with a CA file, Recognition', () => {
  const caFile = join(temporaryFolder('recognition'), 'ca.crt');
  beforeAll(async () => writeFileSync(caFile, (await createCertificate()).cert));

  /**
   * Places a stream on up to five workers with this address, one after the other. Returns the events until the stream
   * waits or fails.
   */
  async function eventsWith(address: string): Promise<string[]> {
    let requests = 0;
    const { events, recognition } = startRecognition(() => {
      const id = `w${++requests}`;
      if (requests > 5) return Promise.reject(new LedgerUnavailable('unavailable'));
      return Promise.resolve({ outcome: 'placed', worker: { id, revision: 'r', address } } as Placement);
    }, caFile);
    await eventually('the stream waits or fails', 20_000, () =>
      events.some((event) => ['wait', 'internal_error'].includes(event)),
    );
    recognition.stop();
    return events;
  }
  const SKIPPED = [...Array.from({ length: 5 }, () => ['placed', 'moved']).flat(), 'wait'];

  test('skips workers whose addresses are ws://, and counts no failure', async () => {
    expect(await eventsWith('ws://10.0.0.1:8443')).toEqual(SKIPPED);
  });

  test('skips workers with self-signed certificates, and counts no failure', async () => {
    const server = createServer(await createCertificate());
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    try {
      const { port } = server.address() as AddressInfo;
      expect(await eventsWith(`wss://127.0.0.1:${port}`)).toEqual(SKIPPED);
    } finally {
      server.close();
    }
  });

  test('fails the stream after three workers that are not reachable', async () => {
    const failure = ['placed', 'moved', 'counted'];
    expect(await eventsWith('wss://127.0.0.1:1')).toEqual([...failure, ...failure, ...failure, 'internal_error']);
  });
});
