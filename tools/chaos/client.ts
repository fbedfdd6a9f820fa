import { setTimeout as sleep } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { MODEL } from '../../test/support/gateway.ts';
import type { Recording } from '../../test/support/recording.ts';
import { opened, Refused, StreamClient } from '../../test/support/stream-client.ts';
import type { SessionBody } from '../../test/support/stream-client.ts';
import type { Random } from '../../test/support/random.ts';
import { newRecord } from './session-record.ts';
import type { SessionRecord } from './session-record.ts';
import type { ChaosTenant } from './tenants.ts';
import type { Timeline } from './timeline.ts';

export interface ClientContext {
  readonly gatewayUrls: readonly string[];
  readonly recordings: readonly Recording[];
  readonly timeline: Timeline;
  /** Called for each session that was created. */
  readonly onSession: (record: SessionRecord) => void;
}

const FRAME_BYTES = 6400;
const FRAME_MS = 200;
const BYTES_PER_SECOND = 32_000;
const REQUEST_TIMEOUT_MS = 8000;
const READY_TIMEOUT_MS = 150_000;
const FINAL_TIMEOUT_MS = 120_000;
const CLOSE_TIMEOUT_MS = 30_000;
/**
 * If no answer arrives for longer than this during an utterance, the stream has stalled. Without faults, there is an
 * answer for each chunk of 1.12 s.
 */
const STALL_MS = 2000;
/** A stall that is longer than this is recorded in the timeline. */
const LONG_STALL_MS = 10_000;
/** Time for which the client tries to connect after it has created a session. */
const CONNECT_WITHIN_MS = 12_000;
/** Time for which the client repeats a request with the same Idempotency-Key. */
const SAME_KEY_MS = 12_000;

/** A client of one tenant that creates a session and streams recordings at real-time pace. */
export class ChaosClient {
  readonly #tenant: ChaosTenant;
  readonly #context: ClientContext;
  readonly #random: Random;

  constructor(tenant: ChaosTenant, context: ClientContext, random: Random) {
    this.#tenant = tenant;
    this.#context = context;
    this.#random = random;
  }

  /** Runs one session. Resolves when the session has ended, or if no session could be created. */
  async runSession(): Promise<void> {
    const recordings = Array.from({ length: this.#random.between(1, 3) }, () =>
      this.#random.pick(this.#context.recordings),
    );
    const bytes = recordings.reduce((sum, { pcm }) => sum + pcm.length, 0);
    const draw = this.#random.next();
    // Most clients close their streams. Some disconnect in the middle of a recording, and some send more audio than
    // they have reserved.
    const plan = draw < 0.8 ? 'closed' : draw < 0.9 ? 'left' : 'limit';
    const seconds = plan === 'limit' ? Math.max(1, Math.floor(bytes / BYTES_PER_SECOND) - 2) : 60;
    const session = await this.#create(seconds);
    if (session === undefined) return;
    const { timeline, onSession } = this.#context;
    const record = newRecord(session.id, this.#tenant.name, seconds * 1000, timeline.nowMs);
    onSession(record);
    const stream = await this.#connect(session, record);
    if (stream === undefined) {
      record.ending = 'unopened';
      record.endedAtMs = timeline.nowMs;
      return;
    }
    await this.#stream(stream, record, recordings, plan);
    record.endedAtMs = timeline.nowMs;
    if (record.ending === 'lost') timeline.add(`${record.id} of ${record.tenant} was lost (${record.closeCode})`);
  }

  /**
   * Creates a session. Repeats the request with the same Idempotency-Key until it succeeds, for at most SAME_KEY_MS.
   */
  async #create(seconds: number): Promise<SessionBody | undefined> {
    const { gatewayUrls, timeline } = this.#context;
    const until = timeline.nowMs + SAME_KEY_MS;
    const headers = {
      authorization: `Bearer ${this.#tenant.key}`,
      'content-type': 'application/json',
      'idempotency-key': `k${Math.floor(this.#random.next() * 2 ** 48)}`,
    };
    const body = JSON.stringify({ model: MODEL, max_audio_seconds: seconds });
    while (timeline.nowMs < until) {
      const url = `${this.#random.pick(gatewayUrls)}/v1/asr/sessions`;
      const signal = AbortSignal.timeout(REQUEST_TIMEOUT_MS);
      const response = await fetch(url, { method: 'POST', headers, body, signal }).catch(() => undefined);
      // The gateway may end between the headers and the body.
      const text = await response?.text().catch(() => undefined);
      if (response?.status === 201 && text !== undefined) return JSON.parse(text) as SessionBody;
      if (response !== undefined && ![201, 429, 503].includes(response.status)) {
        timeline.violate(`POST of ${this.#tenant.name} was answered with ${response.status}: ${text ?? 'no body'}`);
      }
      await sleep(this.#random.between(200, 1000));
    }
    return undefined;
  }

  /**
   * Opens the stream on a random gateway. Retries for up to CONNECT_WITHIN_MS if a gateway does not answer or returns
   * 503.
   */
  async #connect(session: SessionBody, record: SessionRecord): Promise<StreamClient | undefined> {
    const { gatewayUrls, timeline } = this.#context;
    const until = timeline.nowMs + CONNECT_WITHIN_MS;
    const path = new URL(session.websocket_url).pathname;
    while (timeline.nowMs < until) {
      const gateway = this.#random.between(0, gatewayUrls.length - 1);
      const url = `${gatewayUrls[gateway]?.replace('http', 'ws')}${path}`;
      const options = { perMessageDeflate: false, handshakeTimeout: REQUEST_TIMEOUT_MS };
      const socket = new WebSocket(url, session.websocket_protocols, options);
      try {
        const stream = await opened(socket, new StreamClient(socket));
        record.gateway = gateway;
        record.openedAtMs = timeline.nowMs;
        watch(stream, record, timeline);
        return stream;
      } catch (error) {
        // The answer to an earlier handshake may have been lost. The gateway then refuses the used credential.
        if (error instanceof Refused && error.status !== 503) return undefined;
        await sleep(300);
      }
    }
    return undefined;
  }

  async #stream(
    stream: StreamClient,
    record: SessionRecord,
    recordings: readonly Recording[],
    plan: 'closed' | 'left' | 'limit',
  ): Promise<void> {
    const leaveAt = plan === 'left' ? this.#random.below(recordings.length) : -1;
    try {
      await stream.next('ready', READY_TIMEOUT_MS);
      for (const [at, recording] of recordings.entries()) {
        const isLeft = await this.#speak(stream, record, recording, at === leaveAt);
        if (isLeft) {
          stream.socket.terminate();
          record.ending = 'left';
          return;
        }
      }
      stream.close();
      const end = await within(stream.closed, CLOSE_TIMEOUT_MS);
      record.closeCode = end?.code;
      record.ending = end?.reason === 'audio_limit_reached' ? 'limit' : 'closed';
    } catch (error) {
      const end = await within(stream.closed, 0);
      record.closeCode = end?.code;
      record.ending = end?.reason === 'audio_limit_reached' ? 'limit' : 'lost';
      if (end === undefined) {
        this.#context.timeline.violate(`${record.id} of ${record.tenant} got no answer: ${String(error)}`);
        stream.socket.terminate();
      }
    }
  }

  /**
   * Sends one recording and waits for its final. Returns true if the client is to disconnect in the middle of the
   * recording.
   */
  async #speak(
    stream: StreamClient,
    record: SessionRecord,
    { pcm, text }: Recording,
    leaves: boolean,
  ): Promise<boolean> {
    const { timeline } = this.#context;
    const utterance: SessionRecord['utterances'][number] = { fromMs: timeline.nowMs, toMs: undefined };
    record.utterances.push(utterance);
    record.answeredAtMs = timeline.nowMs;
    const startedAt = performance.now();
    const lastByte = leaves ? this.#random.next() * pcm.length : pcm.length;
    const samplesBefore = record.sentSamples;
    for (let at = 0; at < lastByte; at += FRAME_BYTES) {
      const frame = pcm.subarray(at, at + FRAME_BYTES);
      if (stream.socket.readyState !== WebSocket.OPEN) break;
      stream.socket.send(frame);
      record.sentSamples += frame.length / 2;
      await sleep(Math.max(0, startedAt + ((at + FRAME_BYTES) / FRAME_BYTES) * FRAME_MS - performance.now()));
    }
    if (leaves) return true;
    const isWhole =
      record.sentSamples === samplesBefore + pcm.length / 2 && record.sentSamples <= record.reservedMs * 16;
    if (stream.socket.readyState === WebSocket.OPEN) stream.send({ type: 'flush' });
    const final = await stream.next('final', FINAL_TIMEOUT_MS);
    utterance.toMs = timeline.nowMs;
    if (isWhole && final.text !== text) {
      timeline.violate(`${record.id} of ${record.tenant} got another text: "${final.text}" instead of "${text}"`);
    }
    return false;
  }
}

/** Records what the server sends, and for how long it was silent during an utterance. */
function watch(stream: StreamClient, record: SessionRecord, timeline: Timeline): void {
  stream.socket.on('message', () => {
    const now = timeline.nowMs;
    const event = stream.events.at(-1);
    const isUtteranceOpen = record.utterances.at(-1)?.toMs === undefined && record.utterances.length > 0;
    const stallMs = isUtteranceOpen ? now - record.answeredAtMs : 0;
    if (stallMs > STALL_MS) record.stalls.push({ fromMs: record.answeredAtMs, toMs: now });
    if (stallMs > LONG_STALL_MS) timeline.add(`${record.id} had no answer for ${Math.round(stallMs)} ms`);
    record.answeredAtMs = now;
    if (event !== undefined && 'audio_end_ms' in event)
      record.answeredMs = Math.max(record.answeredMs, event.audio_end_ms);
  });
}

/** Resolves with the value of the promise, or with undefined if the promise takes longer than `ms`. */
async function within<T>(promise: Promise<T>, ms: number): Promise<T | undefined> {
  return Promise.race([promise, sleep(ms, undefined)]);
}
