import { chunkSamples, nextWindow, oldestNeeded } from '../features/framing.ts';
import type { NextWindow } from '../features/framing.ts';
import { SAMPLE_RATE_HZ } from '../features/logmel.ts';
import type { Encoder } from '../model/encoder.ts';
import { afterChunk, START } from './pace.ts';
import type { Pace } from './pace.ts';
import type { Cost, Mark, StreamEvent } from './protocol.ts';
import type { Search } from './search.ts';
import type { AudioRing } from './shared.ts';

const MS_PER_SAMPLE = 1000 / SAMPLE_RATE_HZ;

const NO_COST: Cost = { windows: 0, batched: 0, waitMs: 0, runMs: 0 };

/** What a lane is made of. */
export interface LaneParts {
  readonly id: number;
  readonly slot: number;
  readonly context: string;
  readonly encoder: Encoder;
  readonly ring: AudioRing;
  readonly utterance: number;
  /** Sample from which on the pace counts; 0 unless given. */
  readonly realtimeFrom?: number;
  readonly startSearch: () => Search;
}

/** The inference thread's side of a stream: where its utterance stands and what is to be done next. */
export class Lane {
  readonly id: number;
  readonly slot: number;
  readonly context: string;
  readonly encoder: Encoder;
  readonly ring: AudioRing;
  readonly history: Float32Array;
  /** Audio that a window moves on by. */
  readonly chunkMs: number;
  pace: Pace = START;
  /** When its next window became ready; undefined while it is not. */
  readyMs: number | undefined;
  search: Search;
  /** Number of the next window in the utterance. */
  window = 0;
  /** The utterance's first sample. */
  start = 0;
  readonly #marks: Mark[] = [];
  /** Marks received, ever. */
  #marked = 0;
  readonly #startSearch: () => Search;
  readonly #realtimeFrom: number;
  #utterance: number;
  #text = '';
  #frames = 0;
  #cost: Cost = NO_COST;

  constructor({ id, slot, context, encoder, ring, utterance, realtimeFrom = 0, startSearch }: LaneParts) {
    this.id = id;
    this.slot = slot;
    this.context = context;
    this.encoder = encoder;
    this.ring = ring;
    this.#utterance = utterance;
    this.#realtimeFrom = realtimeFrom;
    this.#startSearch = startSearch;
    const { mels, framing } = encoder.shape;
    this.history = new Float32Array(mels * (framing.window - framing.shift));
    this.chunkMs = chunkSamples(framing) * MS_PER_SAMPLE;
    this.search = startSearch();
  }

  mark(mark: Mark): void {
    this.#marks.push(mark);
    this.#marked++;
  }

  /** Where the utterance's audio ends so far. */
  get end(): number {
    return Math.min(this.ring.written, this.#marks[0]?.at ?? Infinity);
  }

  /** What is next; a `run` has all the audio it needs. */
  next(): NextWindow {
    // Read before the count of marks: audio that came after a mark is then never taken for audio before it.
    const { end, ring } = this;
    const mark = this.#marks[0];
    if (mark === undefined && ring.marked !== this.#marked) return { kind: 'wait' };
    const flushed = mark?.kind === 'flush' && end === mark.at;
    return nextWindow(this.encoder.shape.framing, this.window, end - this.start, flushed);
  }

  /** Ends utterances for which nothing is left to run: resets, and flushes of what is already decoded. */
  settle(): StreamEvent[] {
    const events: StreamEvent[] = [];
    for (let mark = this.#marks[0]; mark !== undefined; mark = this.#marks[0]) {
      if (this.end !== mark.at) break;
      if (mark.kind === 'flush') {
        if (this.next().kind !== 'end') break;
        events.push(this.#final(mark));
      } else {
        events.push({ id: this.id, kind: 'reset', at: mark.at });
      }
      this.#marks.shift();
      events.push(this.#restart(mark.at));
    }
    return events;
  }

  /** Notes that a window was run: one more chunk, unless this audio was heard before on another worker. */
  ran(nowMs: number, run: { batch: number; runMs: number; waitMs: number }): void {
    const { windows, batched, waitMs, runMs } = this.#cost;
    const batch = batched + run.batch;
    this.#cost = { windows: windows + 1, batched: batch, waitMs: waitMs + run.waitMs, runMs: runMs + run.runMs };
    const heard = this.start + this.window * chunkSamples(this.encoder.shape.framing);
    if (heard >= this.#realtimeFrom) this.pace = afterChunk(this.pace, this.chunkMs, nowMs);
  }

  /** Takes the result of a window: `frames` encoder frames went into the search. */
  advance(frames: number): StreamEvent[] {
    this.window++;
    this.#frames += frames;
    this.readyMs = undefined;
    const { id, search } = this;
    const samples = this.start + oldestNeeded(this.encoder.shape.framing, this.window);
    const events = this.settle();
    // An utterance that ended with this window has its final, and a delta would say nothing more.
    if (events.length > 0) return events;
    this.ring.consume(samples);
    events.push({ id, kind: 'consumed', samples });
    const { text } = search.transcript;
    if (text !== this.#text) {
      this.#text = text;
      const audioEndMs = Math.min(this.#frames * this.#frameMs, Math.floor((this.end - this.start) * MS_PER_SAMPLE));
      events.push({ id, kind: 'delta', delta: { utterance: this.#utterance, text, audioEndMs } });
    }
    return events;
  }

  get #frameMs(): number {
    return this.encoder.shape.subsampling * 10;
  }

  #final(mark: Mark): StreamEvent {
    const { transcript } = this.search;
    const words = transcript.words(this.#frameMs, Math.ceil((mark.at - this.start) * MS_PER_SAMPLE));
    const final = {
      utterance: this.#utterance,
      text: transcript.text,
      words,
      startSample: this.start,
      endSample: mark.at,
      cost: this.#cost,
    };
    return { id: this.id, kind: 'final', final };
  }

  /** Begins the next utterance at this sample: fresh search, and fresh caches because its first window is number 0. */
  #restart(at: number): StreamEvent {
    this.start = at;
    this.window = 0;
    this.readyMs = undefined;
    this.#utterance++;
    this.#text = '';
    this.#frames = 0;
    this.#cost = NO_COST;
    this.search = this.#startSearch();
    this.ring.consume(at);
    return { id: this.id, kind: 'consumed', samples: at };
  }
}
