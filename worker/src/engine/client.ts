import type { MessagePort } from 'node:worker_threads';
import type { Phrase } from '../decode/phrases/graph.ts';
import { buildFraming } from '../features/framing.ts';
import { contextKey } from '../model/manifest.ts';
import type { Context } from '../model/manifest.ts';
import type { Endpointing } from './endpointer.ts';
import { EngineError } from './error.ts';
import { FreeSlots } from './free-slots.ts';
import type { Command, ModelInfo, Report, StreamEvent } from './protocol.ts';
import { AudioRing, Gauges } from './shared.ts';
import type { SharedBuffers } from './shared.ts';
import { EngineStream } from './stream.ts';

/** Options of a new stream. */
export interface OpenOptions {
  readonly context?: Context;
  /** Number of the first utterance of the stream. */
  readonly utterance?: number;
  /** Audio before this sample is a replay and can arrive faster than real time. 0 by default. */
  readonly realtimeFrom?: number;
  /** Undefined if only `flush` and `reset` end utterances. */
  readonly endpointing?: Endpointing | undefined;
  /** Phrases that the search prefers. They have no effect if the model does not support phrases. */
  readonly phrases?: readonly Phrase[] | undefined;
}

/** Access of one thread to the inference thread. */
export interface ClientAccess {
  readonly info: ModelInfo;
  readonly shared: SharedBuffers;
  /** Number of this client, which starts at 0. */
  readonly index: number;
  readonly clients: number;
}

/**
 * Access to the inference thread for a thread other than the main thread. Send this object to that thread, with `port`
 * in the transfer list.
 */
export interface RemoteAccess extends ClientAccess {
  readonly port: MessagePort;
}

/**
 * Opens streams at the inference thread. Each thread that serves streams has its own client. All clients share the
 * slots.
 */
export class EngineClient {
  readonly info: ModelInfo;
  readonly #shared: SharedBuffers;
  readonly #free: FreeSlots;
  readonly #gauges: Gauges;
  readonly #post: (commands: readonly Command[]) => void;
  readonly #streams = new Map<number, { stream: EngineStream; slot: number }>();
  readonly #clients: number;
  #outbox: Command[] = [];
  /** Id of the next stream. The id modulo the number of clients is the number of the client. */
  #nextId: number;
  #failure: EngineError | undefined;

  constructor({ info, shared, index, clients }: ClientAccess, post: (commands: readonly Command[]) => void) {
    this.info = info;
    this.#shared = shared;
    this.#free = new FreeSlots(shared.free);
    this.#gauges = new Gauges(shared);
    this.#clients = clients;
    this.#nextId = clients + index;
    this.#post = post;
  }

  /** Creates the client of a thread that has received this access. */
  static connect(access: RemoteAccess): EngineClient {
    const { port } = access;
    const client = new EngineClient(access, (commands) => port.postMessage(commands));
    port.on('message', (report: Report) => {
      if (report.kind === 'events') client.receive(report.events);
    });
    return client;
  }

  /** Number of slots that no stream holds. */
  get freeSlots(): number {
    return this.#free.size;
  }

  /**
   * Counter that increases about four times a second while the inference thread is idle, and after each batch while it
   * is busy. It does not increase while the thread hangs.
   */
  get progress(): number {
    return this.#gauges.progress;
  }

  /**
   * Opens a stream. Throws an EngineError if no slot is free, the model does not support the context, or the engine has
   * failed.
   */
  open({ context, utterance = 0, realtimeFrom = 0, endpointing, phrases = [] }: OpenOptions = {}): EngineStream {
    if (this.#failure !== undefined) throw this.#failure;
    const chosen = context ?? this.info.contexts[0]?.context;
    const known = this.info.contexts.find(
      (entry) => chosen !== undefined && contextKey(entry.context) === contextKey(chosen),
    );
    if (known === undefined) {
      throw new EngineError(
        'context_unsupported',
        `the model does not support the context [${chosen?.join(', ') ?? ''}]`,
      );
    }
    const slot = this.#free.take();
    if (slot === undefined) throw new EngineError('no_slot', `all ${this.info.slots} slots are taken`);
    const id = this.#nextId;
    this.#nextId += this.#clients;
    const ring = new AudioRing(this.#shared, slot);
    ring.clear();
    const framing = buildFraming(known.context[1], this.info.subsampling);
    const stream = new EngineStream(known.context, framing, ring, {
      mark: (mark) => {
        this.send({ kind: 'mark', id, mark });
      },
      wake: () => {
        this.#sendWake(id);
      },
      close: () => {
        this.send({ kind: 'close', id });
      },
    });
    this.#streams.set(id, { stream, slot });
    const [kind, key] = ['open' as const, contextKey(known.context)];
    this.send({ kind, id, slot, context: key, utterance, realtimeFrom, endpointing, phrases });
    return stream;
  }

  /** Sends a command to the inference thread. All commands of one callback are sent in one message. */
  send(command: Command): void {
    if (this.#failure !== undefined) return;
    if (this.#outbox.length === 0) {
      queueMicrotask(() => {
        this.#post(this.#outbox);
        this.#outbox = [];
      });
    }
    this.#outbox.push(command);
  }

  /** Call with events of this client's streams. */
  receive(events: readonly StreamEvent[]): void {
    for (const event of events) {
      const entry = this.#streams.get(event.id);
      if (entry === undefined) continue;
      if (event.kind === 'closed') {
        this.#streams.delete(event.id);
        this.#free.release(entry.slot);
      }
      entry.stream.handle(event);
    }
  }

  /** Closes all streams. Their last utterances get no final. */
  closeStreams(): void {
    for (const { stream } of this.#streams.values()) stream.close();
  }

  /** Ends all streams with an error, and refuses new ones. Call when the inference thread has failed. */
  fail(error: EngineError): void {
    if (this.#failure !== undefined) return;
    this.#failure = error;
    const streams = [...this.#streams.values()];
    this.#streams.clear();
    for (const { stream } of streams) stream.fail(error);
  }

  #sendWake(id: number): void {
    const last = this.#outbox.at(-1);
    if (last?.kind === 'wake') last.ids.push(id);
    else this.send({ kind: 'wake', ids: [id] });
  }
}

/** Returns the events of each client, by the number of the client. */
export function splitByClient(events: readonly StreamEvent[], clients: number): StreamEvent[][] {
  const parts = Array.from({ length: clients }, (): StreamEvent[] => []);
  for (const event of events) parts[event.id % clients]?.push(event);
  return parts;
}
