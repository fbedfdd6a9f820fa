import { generateKeyPairSync } from 'node:crypto';
import fc from 'fast-check';
import { TOO_MANY_STREAMS } from '@svc-asr/core';
import { createMetrics } from '@svc-asr/runtime';
import { createGatewayMetrics } from '../../metrics.ts';
import { StreamWatch } from '../../telemetry/stream-watch.ts';
import type { StreamParts, StreamSession } from '../session.ts';
import { buildConfiguration } from '../configuration.ts';
import { Recognition } from './recognition.ts';
import type { StreamAnswer } from './recognition-events.ts';
import { Utterances } from './utterances.ts';
import type { ChannelEvents, ChannelRequest, WorkerChannel } from './worker-channel.ts';
import { createQuietWaiters } from '../../testing/waiters.ts';

const CHUNK = 10;
/** Number of samples after which workers cut an utterance, in streams with endpointing. */
const CUT = 25;
const WORKER_ANSWER_MS = 10_000;
const metrics = createGatewayMetrics(createMetrics('gateway'));
const watch = new StreamWatch({ metrics, trace: undefined, model: 'm', requestedAtMs: 0 });
const SESSION = { sessionId: 's', tenant: 't', model: 'm', maxWaitMs: 60_000, watch } as StreamSession;
const ticketKey = { current: { id: 'k', privateKey: generateKeyPairSync('ed25519').privateKey } };
const settle = () => new Promise((resolve) => setImmediate(resolve));

/** A worker that answers one input at a time, and only when the test calls `step`. */
class FakeWorker implements WorkerChannel {
  readonly aliveAtMs = Infinity;
  readonly #events: ChannelEvents;
  readonly #inputs: (number | 'flush' | 'reset')[] = [];
  /** Number of samples after which an utterance is cut. */
  cutAfter: number;
  /** True if a reset drops the audio before it. False if the worker has already recognized that audio. */
  dropsAudio = false;
  /** Number of samples before which the first utterance must not be cut. */
  #notBefore: number;
  #samples = 0;
  #consumed = 0;
  #opened = false;
  closed = false;

  constructor(events: ChannelEvents, cutAfter = Infinity, notBefore = 0) {
    this.#events = events;
    this.cutAfter = cutAfter;
    this.#notBefore = notBefore;
  }

  get #cutAt(): number {
    return Math.max(this.cutAfter, this.#notBefore);
  }

  audio(pcm: Buffer): void {
    this.#inputs.push(pcm.length / 2);
  }

  mark(mark: 'flush' | 'reset'): void {
    while (mark === 'reset' && this.dropsAudio && typeof this.#inputs.at(-1) === 'number') this.#inputs.pop();
    this.#inputs.push(mark);
  }

  close(): void {
    this.closed = true;
  }

  /** Opens the stream, or answers the next input. Returns false if there is nothing to answer. */
  step(): boolean {
    if (this.closed) return false;
    const { onAnswer } = this.#events;
    if (!this.#opened) {
      this.#opened = true;
      const endpointing = this.cutAfter < Infinity;
      onAnswer({ type: 'opened', chunk_samples: CHUNK, context: [56, 13], buffer_samples: 1000, endpointing });
      return true;
    }
    const input = this.#inputs.shift();
    if (input === undefined) return false;
    if (typeof input === 'number') {
      this.#samples += input;
      this.#answerChunks();
      return true;
    }
    while (this.#samples >= this.#cutAt && input === 'flush') this.#cut();
    const samples = this.#samples;
    this.#samples = this.#consumed = this.#notBefore = 0;
    if (input === 'reset') onAnswer({ type: 'reset_done' });
    else onAnswer({ type: 'final', text: `${samples} samples`, audio_end: samples, words: [] });
    return true;
  }

  /** Asks the gateway to move the stream, as a draining worker does. */
  drain(): void {
    if (this.#opened && !this.closed) this.#events.onAnswer({ type: 'move', within_ms: 1000 });
  }

  /** Asks the gateway to move the stream, as a worker with too many streams does. */
  shed(): void {
    this.#events.onAnswer({ type: 'move', reason: TOO_MANY_STREAMS });
  }

  lose(): void {
    if (!this.closed) this.#events.onLost('killed');
  }

  #answerChunks(): void {
    const { onAnswer } = this.#events;
    while (this.#samples - this.#consumed >= CHUNK && !this.closed) {
      if (this.#consumed + CHUNK >= this.#cutAt) {
        this.#cut();
        continue;
      }
      this.#consumed += CHUNK;
      onAnswer({ type: 'delta', text: '', audio_end: this.#consumed });
      onAnswer({ type: 'consumed', samples: this.#consumed });
    }
  }

  /** Ends the utterance at a pause. The audio after the cut is the start of the next utterance. */
  #cut(): void {
    const samples = this.#cutAt;
    this.#samples -= samples;
    this.#consumed = this.#notBefore = 0;
    this.#events.onAnswer({ type: 'final', text: `${samples} samples`, audio_end: samples, words: [], endpoint: true });
  }
}

/** A stream whose workers the test controls. */
class TestStream {
  readonly workers: FakeWorker[] = [];
  /** Answers that the client has received. */
  readonly received: string[] = [];
  /** Answers that the client must receive, without deltas. */
  readonly expected: string[] = [];
  /** Number of samples between two consecutive flushes or resets. */
  readonly flushed: number[] = [];
  /** Number of workers that were counted as failed. */
  failures = 0;
  /** Reasons of the moves of the stream. */
  readonly reasons: string[] = [];
  readonly #utterances = new Utterances();
  readonly #recognition: Recognition;
  /** Lets the stream check for hung workers, as if the time was `nowMs`. */
  tick: (nowMs: number) => void = () => undefined;
  /** Number of samples since the last flush or reset. */
  #samples = 0;

  /** `cutAfter` returns the sample at which the next worker cuts an utterance. Omit it to turn endpointing off. */
  constructor(cutAfter?: () => number) {
    let placed = 0;
    const place = () =>
      Promise.resolve({ outcome: 'placed', worker: { id: `w${++placed}`, address: 'ws://w', revision: 'r' } });
    const open = ({ endpointing }: ChannelRequest, events: ChannelEvents) => {
      const worker = new FakeWorker(events, cutAfter?.(), endpointing?.notBefore);
      worker.dropsAudio = this.workers.length % 2 === 1;
      this.workers.push(worker);
      return worker;
    };
    const countStream = (_model: string, _revision: string, hasFailed: boolean) => (this.failures += Number(hasFailed));
    const parts = {
      ledger: { pools: { place }, now: Date.now },
      waiters: createQuietWaiters(),
      times: {
        statusMs: 1_000_000,
        workerAvoidMs: 1000,
        workerOpenMs: 60_000,
        ticketMs: 10_000,
        workerSilenceMs: 3000,
        workerAnswerMs: WORKER_ANSWER_MS,
      },
      ticker: { add: (tick: (nowMs: number) => void) => (this.tick = tick), remove: () => undefined },
      tallies: { countStream, countDelta: () => undefined },
      ticketKey,
      workerTrust: { check: () => ({ tls: {} }) },
      workerConnections: { pickAddress: () => 'ws://w', open, retire: () => undefined },
      logger: { error: () => undefined, info: ({ reason }: { reason: string }) => this.reasons.push(reason) },
    } as unknown as StreamParts;
    this.#recognition = new Recognition(parts, SESSION, this.#utterances, {
      onWait: () => undefined,
      onPlaced: () => undefined,
      onOpened: () => undefined,
      onAnswer: (answer) => this.#receive(answer),
      onConfigurationRefused: (part) => this.received.push(`${part} refused`),
      onFailed: (code) => this.received.push(code),
    });
    if (cutAfter !== undefined) {
      this.#recognition.configuration = buildConfiguration({ endpointing: { silence_ms: 500 } });
    }
  }

  /** First of the workers that are not closed. If there is a second one, the stream is moving to it. */
  get worker(): FakeWorker | undefined {
    return this.workers.find(({ closed }) => !closed);
  }

  get successor(): FakeWorker | undefined {
    return this.workers.filter(({ closed }) => !closed)[1];
  }

  audio(samples: number): void {
    this.#utterances.append(Buffer.alloc(samples * 2));
    this.#samples += samples;
    this.#recognition.forwardAudio();
  }

  end(ending: 'flush' | 'reset'): void {
    const { number, samples } = this.#utterances.current;
    this.flushed.push(this.#samples);
    this.#samples = 0;
    this.#recognition.end(ending);
    if (ending === 'reset') this.#utterances.reset();
    else this.#utterances.flush();
    this.expected.push(ending === 'reset' ? `${number} reset` : `${number} final ${samples} samples`);
  }

  stop(): void {
    this.#recognition.stop();
  }

  #receive(answer: StreamAnswer): void {
    const { head } = this.#utterances;
    if (answer.type === 'consumed') head.consume(answer.samples);
    else if (answer.type === 'delta') {
      if (head.deliver(answer.audio_end)) this.received.push(`${head.number} delta ${answer.audio_end}`);
    } else {
      if (answer.type === 'final' && answer.endpoint === true) this.#utterances.cut(answer.audio_end);
      else this.#utterances.takeAnswered();
      this.received.push(answer.type === 'final' ? `${head.number} final ${answer.text}` : `${head.number} reset`);
    }
  }
}

interface Moving {
  stream: TestStream;
  old: FakeWorker;
  next: FakeWorker;
}

/** Creates a stream whose worker drains after a first delta. The next worker has not opened the stream yet. */
const startDraining = (stream?: TestStream, samples?: number): Promise<Moving> => startMoving('drain', stream, samples);

async function startMoving(cause: 'drain' | 'shed', stream = new TestStream(), samples = CHUNK): Promise<Moving> {
  await settle();
  stream.worker?.step();
  stream.audio(samples);
  stream.worker?.step();
  stream.worker?.[cause]();
  await settle();
  const [old, next] = [stream.worker, stream.successor];
  if (old === undefined || next === undefined) throw new Error('the stream has no successor');
  return { stream, old, next };
}

test('a stream leaves a draining worker only when the successor of that worker has caught up', async () => {
  const { stream, old, next } = await startDraining();
  next.step();
  expect(old.closed).toBe(false);
  stream.audio(CHUNK);
  old.step();
  expect(stream.received).toEqual(['1 delta 10', '1 delta 20']);
  next.step();
  expect(old.closed).toBe(false);
  next.step();
  expect(old.closed).toBe(true);
  stream.end('flush');
  next.step();
  expect(stream.received).toEqual(['1 delta 10', '1 delta 20', '1 final 20 samples']);
  stream.stop();
});

test('a successor does not repeat a final that the client has already received from the draining worker', async () => {
  const { stream, old, next } = await startDraining();
  next.step();
  stream.end('flush');
  old.step();
  stream.audio(CHUNK);
  old.lose();
  while (next.step());
  expect(stream.received).toEqual(['1 delta 10', '1 final 10 samples', '2 delta 10']);
  stream.stop();
});

test.each([
  ['a worker with too many streams', false, TOO_MANY_STREAMS],
  ['a worker that first has too many streams and then drains', true, 'drain'],
])('a stream leaves %s when the new worker has caught up, and no failure is counted', async (_, drains, reason) => {
  const { stream, old, next } = await startMoving('shed');
  if (drains) old.drain();
  next.step();
  next.step();
  expect(old.closed).toBe(true);
  expect(stream.failures).toBe(0);
  expect(stream.reasons).toEqual([reason]);
  stream.stop();
});

test('the loss of a worker with too many streams counts as a failure, unless the worker also drains', async () => {
  const overloaded = await startMoving('shed');
  overloaded.old.lose();
  expect(overloaded.stream.failures).toBe(1);
  overloaded.stream.stop();

  const draining = await startMoving('shed');
  draining.old.drain();
  draining.old.lose();
  expect(draining.stream.failures).toBe(0);
  draining.stream.stop();
});

test('if a successor answers an utterance before the draining worker does, the successor takes over the stream with that final', async () => {
  const { stream, old, next } = await startDraining();
  next.step();
  stream.end('flush');
  next.step();
  next.step();
  expect(old.closed).toBe(true);
  expect(stream.received).toEqual(['1 delta 10', '1 final 10 samples']);
  stream.stop();
});

test('if a successor is lost, the stream stays at the draining worker and gets another successor', async () => {
  const { stream, old, next } = await startDraining();
  next.step();
  next.lose();
  await settle();
  expect(old.closed).toBe(false);
  const third = stream.successor;
  stream.end('flush');
  old.step();
  while (third?.step() === true);
  expect(old.closed).toBe(true);
  expect(stream.received).toEqual(['1 delta 10', '1 final 10 samples']);
  stream.stop();
});

test('a successor that owed no answer for a long time has the full WORKER_ANSWER_MS for the next answer', async () => {
  const { stream, old, next } = await startDraining();
  next.step();
  const idleUntilMs = Math.ceil(performance.now()) + 6 * WORKER_ANSWER_MS;
  stream.tick(idleUntilMs);
  stream.end('flush');
  old.step();
  stream.tick(idleUntilMs + WORKER_ANSWER_MS);
  expect(next.closed).toBe(false);
  stream.tick(idleUntilMs + WORKER_ANSWER_MS + 1);
  expect([old.closed, next.closed]).toEqual([false, true]);
  stream.stop();
});

type Action = typeof action extends fc.Arbitrary<infer T> ? T : never;
const audioAction = fc.record({ do: fc.constant('audio' as const), samples: fc.integer({ min: 1, max: 25 }) });
const action = fc.oneof(
  { weight: 4, arbitrary: audioAction },
  { weight: 8, arbitrary: fc.record({ do: fc.constantFrom('step' as const, 'step successor' as const) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constantFrom('flush' as const, 'reset' as const, 'drain' as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constantFrom('lose' as const, 'lose successor' as const) }) },
);

/** Performs the actions on a stream, flushes the stream, and lets its workers answer all input. */
async function act(stream: TestStream, actions: readonly Action[]): Promise<void> {
  await settle();
  /** Number of lost workers. More than two losses on the same utterance would end the stream. */
  let losses = 0;
  for (const one of actions) {
    if (one.do === 'audio') stream.audio(one.samples);
    else if (one.do === 'step') stream.worker?.step();
    else if (one.do === 'step successor') stream.successor?.step();
    else if (one.do === 'drain') stream.worker?.drain();
    else if (one.do === 'flush' || one.do === 'reset') stream.end(one.do);
    else if (losses++ < 2) (one.do === 'lose' ? stream.worker : stream.successor)?.lose();
    await settle();
  }
  stream.end('flush');
  while (stream.workers.some((worker) => worker.step())) await settle();
}

test('a stream with endpointing is cut at the same samples, however often it moves', async () => {
  const withoutReset = fc
    .array(action, { maxLength: 80, size: 'max' })
    .map((actions) => actions.map((one) => (one.do === 'reset' ? { do: 'flush' as const } : one)));
  await fc.assert(
    fc.asyncProperty(withoutReset, async (actions) => {
      const stream = new TestStream(() => CUT);
      await act(stream, actions);
      const ends = stream.flushed.flatMap((samples) => [
        ...Array<number>(Math.floor(samples / CUT)).fill(CUT),
        samples % CUT,
      ]);
      const finals = stream.received.filter((entry) => !entry.includes('delta'));
      expect(finals).toEqual(ends.map((samples, at) => `${at + 1} final ${samples} samples`));
      stream.stop();
    }),
    { numRuns: 500 },
  );
});

test('if a successor cuts at another sample than the draining worker, the stream gets another successor, and the client gets no wrong answer', async () => {
  const cuts = [CUT, CUT - 5, CUT];
  const stream = new TestStream(() => cuts.shift() ?? CUT);
  await settle();
  const [old] = stream.workers;
  old?.step();
  stream.audio(CHUNK);
  old?.step();
  old?.drain();
  await settle();
  const other = stream.successor;
  other?.step();
  stream.audio(2 * CHUNK);
  old?.step();
  expect(stream.received).toEqual(['1 delta 10', '1 delta 20', '1 final 25 samples']);
  while (other?.step() === true);
  await settle();
  expect([old?.closed, other?.closed]).toEqual([false, true]);
  stream.end('flush');
  while (stream.workers.some((worker) => worker.step())) await settle();
  expect(stream.received.at(-1)).toBe('2 final 5 samples');
  stream.stop();
});

/**
 * Starts the handover of a stream whose client has received text of the whole first utterance. The draining worker
 * answers that utterance before the successor opens the stream. The second utterance has a pause at 15 samples.
 */
async function answerBeforeSuccessorOpens(): Promise<Awaited<ReturnType<typeof startDraining>>> {
  const cuts = [CUT];
  const draining = await startDraining(new TestStream(() => cuts.shift() ?? 15), 2 * CHUNK);
  const { stream, old } = draining;
  stream.end('flush');
  old.step();
  expect(stream.received).toEqual(['1 delta 10', '1 delta 20', '1 final 20 samples']);
  old.cutAfter = 15;
  return draining;
}

test('if a successor opens the stream after the final of an utterance, the successor cuts the next utterance at the same samples as the draining worker', async () => {
  const { stream, old, next } = await answerBeforeSuccessorOpens();
  stream.audio(CHUNK);
  old.step();
  next.step();
  stream.audio(CHUNK);
  old.step();
  while (next.step());
  expect([old.closed, next.closed, stream.failures]).toEqual([true, false, 0]);
  stream.end('flush');
  while (next.step());
  expect(stream.received.slice(3)).toEqual(['2 delta 10', '2 final 15 samples', '3 final 5 samples']);
  stream.stop();
});

test('a successor that opens the stream after the loss of the draining worker cuts an utterance at a pause if the client has no text of that utterance', async () => {
  const { stream, old, next } = await answerBeforeSuccessorOpens();
  old.lose();
  stream.audio(2 * CHUNK);
  while (next.step());
  stream.end('flush');
  while (next.step());
  expect(stream.received.slice(3)).toEqual(['2 delta 10', '2 final 15 samples', '3 final 5 samples']);
  stream.stop();
});

test('a successor that got no audio of a reset utterance takes over the stream after the draining worker has cut this utterance', async () => {
  const { stream, old, next } = await startDraining(new TestStream(() => CUT), 2 * CHUNK);
  stream.audio(CHUNK);
  stream.end('reset');
  next.step();
  while (old.step());
  expect(stream.received.slice(2)).toEqual(['1 final 25 samples', '2 reset']);
  while (next.step());
  expect([old.closed, next.closed, stream.failures]).toEqual([true, false, 0]);
  stream.stop();
});

test('a stream that leaves a draining worker stays at the successor, in any order of resets, pauses and answers', async () => {
  const withoutLoss = fc
    .array(action, { maxLength: 80, size: 'max' })
    .map((actions) => actions.filter((one) => one.do !== 'lose' && one.do !== 'lose successor'));
  await fc.assert(
    fc.asyncProperty(withoutLoss, async (actions) => {
      const stream = new TestStream(() => CUT);
      await act(stream, actions);
      stream.stop();
      expect(stream.failures).toBe(0);
      const ends = stream.received.filter((entry) => !entry.includes('delta'));
      expect(ends.map((entry) => Number.parseInt(entry, 10))).toEqual(ends.map((_, at) => at + 1));
    }),
    { numRuns: 500 },
  );
});

test('a stream that moves any number of times loses and repeats no answer, whatever the order of events is', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(action, { maxLength: 80, size: 'max' }), async (actions) => {
      const stream = new TestStream();
      await act(stream, actions);
      expect(stream.received.filter((entry) => !entry.includes('delta'))).toEqual(stream.expected);
      const deltas = stream.received.filter((entry) => entry.includes('delta'));
      expect(new Set(deltas).size).toBe(deltas.length);
      stream.stop();
    }),
    { numRuns: 500 },
  );
});
