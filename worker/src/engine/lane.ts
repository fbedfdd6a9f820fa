import { chunkSamples, nextWindow, oldestNeeded, oldestSampleOf, samplesFor } from '../features/framing.ts';
import type { NextWindow } from '../features/framing.ts';
import { SAMPLE_RATE_HZ } from '../features/logmel.ts';
import type { ContextShape } from './context-shape.ts';
import { afterChunk, START } from './pace.ts';
import type { Pace } from './pace.ts';
import type { Cost, Mark, StreamEvent } from './protocol.ts';
import type { Search } from './search.ts';
import type { AudioRing } from './shared.ts';

const MS_PER_SAMPLE = 1000 / SAMPLE_RATE_HZ;

const NO_COST: Cost = { windows: 0, batched: 0, waitMs: 0, runMs: 0 };

/** Constructor options of a lane. */
export interface LaneParts {
  readonly id: number;
  readonly slot: number;
  readonly context: string;
  readonly shape: ContextShape;
  readonly ring: AudioRing;
  readonly utterance: number;
  /** Audio before this sample is a replay, which may arrive faster than real time. 0 by default. */
  readonly realtimeFrom?: number;
  readonly startSearch: () => Search;
}

/** The inference thread's side of a stream: the state of its current utterance and its next window. */
export class Lane {
  readonly id: number;
  readonly slot: number;
  readonly context: string;
  readonly shape: ContextShape;
  readonly ring: AudioRing;
  /** Milliseconds of new audio in a window. */
  readonly chunkMs: number;
  pace: Pace = START;
  /** Time at which the next window became ready. Undefined while it is not ready. */
  readyMs: number | undefined;
  /** True while the stream is in the queue of ready streams or in a run. */
  busy = false;
  search: Search;
  /** Number of the next window in the utterance. */
  window = 0;
  /** First sample of the utterance. */
  start = 0;
  readonly #marks: Mark[] = [];
  /** Number of marks received since the stream started. */
  #marked = 0;
  readonly #startSearch: () => Search;
  readonly #realtimeFrom: number;
  #utterance: number;
  #text = '';
  #frames = 0;
  #cost: Cost = NO_COST;

  constructor({ id, slot, context, shape, ring, utterance, realtimeFrom = 0, startSearch }: LaneParts) {
    this.id = id;
    this.slot = slot;
    this.context = context;
    this.shape = shape;
    this.ring = ring;
    this.#utterance = utterance;
    this.#realtimeFrom = realtimeFrom;
    this.#startSearch = startSearch;
    this.chunkMs = chunkSamples(shape.framing) * MS_PER_SAMPLE;
    this.search = startSearch();
  }

  mark(mark: Mark): void {
    this.#marks.push(mark);
    this.#marked++;
  }

  /** Sample at which the audio of the utterance ends so far. */
  get end(): number {
    return Math.min(this.ring.written, this.#marks[0]?.at ?? Infinity);
  }

  /** Audio that has arrived after the next window, in milliseconds. */
  get backlogMs(): number {
    const windowEnd = Math.min(this.start + samplesFor(this.shape.framing, this.window + 1), this.end);
    return Math.max(0, this.ring.written - windowEnd) * MS_PER_SAMPLE;
  }

  /** Decides about the next window. For `run`, all audio that the window needs is in the ring. */
  next(): NextWindow {
    // `end` must be read before the mark count. Otherwise audio that was written after a mark could be taken for audio
    // before it.
    const { end, ring } = this;
    const mark = this.#marks[0];
    if (mark === undefined && ring.marked !== this.#marked) return { kind: 'wait' };
    const flushed = mark?.kind === 'flush' && end === mark.at;
    return nextWindow(this.shape.framing, this.window, end - this.start, flushed);
  }

  /** Ends utterances that need no further run: resets, and flushes of audio that is already decoded. */
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

  /**
   * Records the cost of a window that was run. Its chunk counts for the pace unless another worker already recognized
   * this audio.
   */
  ran(nowMs: number, run: { batch: number; runMs: number; waitMs: number }): void {
    const { windows, batched, waitMs, runMs } = this.#cost;
    const batch = batched + run.batch;
    this.#cost = { windows: windows + 1, batched: batch, waitMs: waitMs + run.waitMs, runMs: runMs + run.runMs };
    const position = this.start + this.window * chunkSamples(this.shape.framing);
    if (position >= this.#realtimeFrom) this.pace = afterChunk(this.pace, this.chunkMs, nowMs);
  }

  /** Advances to the next window after `frames` encoder frames of this one were searched. */
  advance(frames: number): StreamEvent[] {
    this.window++;
    this.#frames += frames;
    this.readyMs = undefined;
    const { id, search } = this;
    const { framing, recomputesHistory } = this.shape;
    const samples = this.start + oldestNeeded(framing, this.window);
    const events = this.settle();
    // If the utterance ended with this window its final was sent, so a delta would add nothing.
    if (events.length > 0) return events;
    this.ring.consume(recomputesHistory ? this.start + oldestSampleOf(framing, this.window) : samples);
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
    return this.shape.subsampling * 10;
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
      ...(transcript.decoded === undefined ? {} : { pieces: transcript.decoded }),
    };
    return { id: this.id, kind: 'final', final };
  }

  /**
   * Starts the next utterance at this sample with a new search. Its caches are cleared because its first window is
   * number 0.
   */
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
