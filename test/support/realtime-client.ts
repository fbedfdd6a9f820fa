import { createResampler, toPcm16 } from '@svc-asr/client';
import { WebSocket } from 'ws';
import type { TestGateway } from './gateway.ts';
import { opened } from './stream-client.ts';

/** An event of the server, with the fields that tests read. */
export interface RealtimeEvent {
  type: string;
  event_id: string;
  item_id?: string;
  previous_item_id?: string | null;
  delta?: string;
  transcript?: string;
  audio_start_ms?: number;
  audio_end_ms?: number;
  usage?: { type: string; seconds: number };
  session?: { id: string; audio: { input: Record<string, unknown> } };
  error?: { type: string; code: string; message: string; param: string | null; event_id: string | null };
}

export const DELTA = 'conversation.item.input_audio_transcription.delta';
export const COMPLETED = 'conversation.item.input_audio_transcription.completed';

/** A client of /v1/realtime that keeps all events in order. */
export class RealtimeClient {
  readonly events: RealtimeEvent[] = [];
  readonly socket: WebSocket;
  readonly closed: Promise<{ code: number; reason: string }>;
  #taken = 0;
  #isClosed = false;
  #wake: () => void = () => undefined;

  constructor(socket: WebSocket) {
    this.socket = socket;
    socket.on('message', (data: Buffer) => {
      this.events.push(JSON.parse(data.toString()) as RealtimeEvent);
      this.#wake();
    });
    this.closed = new Promise((resolve) => {
      socket.on('close', (code, reason) => {
        this.#isClosed = true;
        this.#wake();
        resolve({ code, reason: reason.toString() });
      });
    });
    socket.on('error', () => undefined);
  }

  /** Returns the next event of a type. Skips the events before it. */
  async next(type: string): Promise<RealtimeEvent> {
    for (;;) {
      while (this.#taken < this.events.length) {
        const event = this.events[this.#taken++];
        if (event?.type === type) return event;
      }
      if (this.#isClosed) throw new Error(`no ${type} came; events: ${JSON.stringify(this.events).slice(-2000)}`);
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }

  send(event: object | string): void {
    this.socket.send(typeof event === 'string' ? event : JSON.stringify(event));
  }

  /** Sends `session.update` with the fields of `audio.input`, and waits for the answer. */
  async update(input: object): Promise<RealtimeEvent> {
    this.send({ type: 'session.update', session: { type: 'transcription', audio: { input } } });
    return this.next('session.updated');
  }

  /** Appends audio in parts, as clients do. */
  append(audio: Buffer, partBytes = 9600): void {
    for (let at = 0; at < audio.length; at += partBytes) {
      const part = audio.subarray(at, at + partBytes).toString('base64');
      this.send({ type: 'input_audio_buffer.append', audio: part });
    }
  }

  commit(): void {
    this.send({ type: 'input_audio_buffer.commit' });
  }

  /** Returns the joined deltas of an item. */
  deltasOf(itemId: string | undefined): string {
    const deltas = this.events.filter(({ type, item_id }) => type === DELTA && item_id === itemId);
    return deltas.map(({ delta }) => delta).join('');
  }

  close(): void {
    this.socket.close(1000);
  }
}

/** Opens a realtime connection. Rejects with Refused if the handshake is refused. */
export function connectRealtime(
  { baseUrl }: Pick<TestGateway, 'baseUrl'>,
  key: string | undefined,
  { query = 'intent=transcription', protocols = [] as string[] } = {},
): Promise<RealtimeClient> {
  const headers = key === undefined ? {} : { authorization: `Bearer ${key}` };
  const url = `${baseUrl.replace(/^http/, 'ws')}/v1/realtime?${query}`;
  const socket = new WebSocket(url, protocols, { perMessageDeflate: false, headers });
  return opened(socket, new RealtimeClient(socket));
}

/** Converts PCM of 16 kHz to another rate. */
export function resample(pcm: Buffer, rateHz: number): Buffer {
  const samples = Float32Array.from({ length: pcm.length / 2 }, (_, at) => pcm.readInt16LE(2 * at) / 32_768);
  const resampler = createResampler(16_000, rateHz);
  const parts = [resampler.push(samples), resampler.end()].map((part) => {
    const { buffer, byteOffset, byteLength } = toPcm16(part);
    return Buffer.from(buffer, byteOffset, byteLength);
  });
  return Buffer.concat(parts);
}
