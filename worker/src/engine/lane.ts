import { chunkSamples, nextWindow, oldestNeeded, oldestSampleOf, samplesFor } from '../features/framing.ts';
import type { NextWindow } from '../features/framing.ts';
import { HOP_SAMPLES, SAMPLE_RATE_HZ } from '../features/logmel.ts';
import type { ContextShape } from './context-shape.ts';
import { Endpointer } from './endpointer.ts';
import type { Endpointing } from './endpointer.ts';
import { afterArrival, afterChunk, START, startArrival } from './pace.ts';
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
  /** Time at which the stream was opened. 0 by default. */
  readonly openedMs?: number;
  /** Audio before this sample is a replay and can arrive faster than real time. 0 by default. */
  readonly realtimeFrom?: number;
  /** Undefined if only flushes and resets end utterances. */
  readonly endpointing?: Endpointing | undefined;
  readonly startSearch: () => Search;
}

/** The state of a stream in the inference thread: its current utterance and its next window. */
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
  /** True if the last run must not change the state of the stream, because its window will be run again. */
  isRewound = false;
  readonly #marks: Mark[] = [];
  /** Number of marks received since the stream started. */
  #marked = 0;
  readonly #startSearch: () => Search;
  readonly #realtimeFrom: number;
  readonly #endpointer: Endpointer | undefined;
  /** End of the utterance at a pause, if no mark of the client is before this end. */
  #cut: Mark | undefined;
  /**
   * Value of `end` at the last call of `next` that did not return `wait`. A mark that arrives later cannot be before
   * this sample.
   */
  #checkedEnd = 0;
  /** Sample up to which processed audio has been counted in `pace`. */
  #pacedTo = 0;
  /** Pace at which the audio arrives. */
  #arrival: Pace;
  /** Sample up to which received audio has been counted in `#arrival`. */
  #arrivedTo = 0;
  #utterance: number;
  #text = '';
  #frames = 0;
  #cost: Cost = NO_COST;

  constructor(parts: LaneParts) {
    const { id, slot, context, shape, ring, utterance, endpointing, startSearch } = parts;
    this.id = id;
    this.slot = slot;
    this.context = context;
    this.shape = shape;
    this.ring = ring;
    this.#utterance = utterance;
    this.#arrival = startArrival(parts.openedMs ?? 0);
    this.#realtimeFrom = parts.realtimeFrom ?? 0;
    this.#startSearch = startSearch;
    this.chunkMs = chunkSamples(shape.framing) * MS_PER_SAMPLE;
    this.search = startSearch();
    if (endpointing === undefined) return;
    const frame = { ms: this.#frameMs, samples: shape.subsampling * HOP_SAMPLES };
    this.#endpointer = new Endpointer(endpointing, frame);
    this.#endpointer.start(this.search);
  }

  mark(mark: Mark): void {
    this.#marks.push(mark);
    this.#marked++;
  }

  /** Sample at which the received audio of the utterance ends. */
  get end(): number {
    return Math.min(this.ring.written, this.#nextMark?.at ?? Infinity);
  }

  get #nextMark(): Mark | undefined {
    return this.#cut ?? this.#marks[0];
  }

  /** Length of the received audio that follows the end of the next window, in milliseconds. */
  get backlogMs(): number {
    const windowEnd = Math.min(this.start + samplesFor(this.shape.framing, this.window + 1), this.end);
    return Math.max(0, this.ring.written - windowEnd) * MS_PER_SAMPLE;
  }

  /**
   * Number of milliseconds by which the audio was ahead of real time at the last call of `noteArrival`. Negative if the
   * audio was behind.
   */
  get earlyMs(): number {
    return this.#arrival.aheadMs;
  }

  /**
   * Updates the pace of arrival with the audio that has arrived since the last call. Audio of a replay does not count.
   */
  noteArrival(nowMs: number): void {
    const { written } = this.ring;
    const arrived = Math.max(0, written - Math.max(this.#arrivedTo, this.#realtimeFrom));
    this.#arrivedTo = written;
    this.#arrival = afterArrival(this.#arrival, arrived * MS_PER_SAMPLE, nowMs);
  }

  /**
   * Returns whether the next window can run, must wait, or does not exist because the utterance ends. For `run`, the
   * ring contains all audio that the window needs.
   */
  next(): NextWindow {
    // Reads `end` before the number of marks. In the other order, audio that is written after a mark could count as
    // audio before the mark.
    const { end, ring } = this;
    const mark = this.#nextMark;
    if (mark === undefined && ring.marked !== this.#marked) return { kind: 'wait' };
    this.#checkedEnd = end;
    const flushed = mark?.kind === 'flush' && end === mark.at;
    return nextWindow(this.shape.framing, this.window, end - this.start, flushed);
  }

  /**
   * Ends the utterances that need no further run. These are utterances that were reset, or that have a flush or a cut
   * up to which all audio is decoded.
   */
  settle(): StreamEvent[] {
    const events: StreamEvent[] = [];
    for (let mark = this.#nextMark; mark !== undefined; mark = this.#nextMark) {
      if (this.end !== mark.at) break;
      if (mark.kind === 'flush') {
        if (this.next().kind !== 'end') break;
        events.push(this.#final(mark));
      } else {
        events.push({ id: this.id, kind: 'reset', at: mark.at });
      }
      if (mark === this.#cut) this.#cut = undefined;
      else this.#marks.shift();
      events.push(this.#restart(mark.at));
    }
    return events;
  }

  /**
   * Records the cost of a window that was run. Updates the pace with the audio of the window, except for audio that was
   * counted before or is a replay.
   */
  ran(nowMs: number, run: { batch: number; runMs: number; waitMs: number }): void {
    const { windows, batched, waitMs, runMs } = this.#cost;
    const batch = batched + run.batch;
    this.#cost = { windows: windows + 1, batched: batch, waitMs: waitMs + run.waitMs, runMs: runMs + run.runMs };
    const chunk = chunkSamples(this.shape.framing);
    const from = this.start + this.window * chunk;
    const until = Math.min(from + chunk, this.#nextMark?.at ?? Infinity);
    const counted = Math.max(0, until - Math.max(from, this.#pacedTo));
    this.#pacedTo = Math.max(this.#pacedTo, until);
    if (from >= this.#realtimeFrom) this.pace = afterChunk(this.pace, counted * MS_PER_SAMPLE, nowMs);
  }

  /**
   * Advances to the next window. Call it when `frames` encoder frames of the current window were searched. If there is
   * a cut within the window, does not advance. The window is then run again without the audio after the cut, as after a
   * flush.
   */
  advance(frames: number): StreamEvent[] {
    this.isRewound = this.#findCut(frames) && this.#rewind();
    if (this.isRewound) return [];
    this.window++;
    this.#frames += frames;
    this.readyMs = undefined;
    this.#endpointer?.save();
    const { id, search } = this;
    const { framing, recomputesHistory } = this.shape;
    const samples = this.start + oldestNeeded(framing, this.window);
    const events = this.settle();
    // If the utterance ended with this window, `events` already contains its final or reset. A delta would then be
    // superfluous.
    if (events.length > 0) return events;
    this.ring.consume(recomputesHistory ? this.start + oldestSampleOf(framing, this.window) : samples);
    events.push({ id, kind: 'consumed', samples });
    const { text } = search.transcript;
    if (text !== this.#text) {
      this.#text = text;
      const audioEndMs = Math.min(this.#frames * this.#frameMs, Math.floor((this.end - this.start) * MS_PER_SAMPLE));
      const speechStartMs = (search.transcript.speechFrame ?? 0) * this.#frameMs;
      const speech = this.#endpointer === undefined ? {} : { speechStartMs };
      events.push({ id, kind: 'delta', delta: { utterance: this.#utterance, text, audioEndMs, ...speech } });
    }
    return events;
  }

  /**
   * Sets the cut of the utterance if the decoded frames contain one. A window can be run shortly before all audio of
   * its chunk has arrived. A cut after the end of the arrived audio is not set now. It is found again after the next
   * window, unless a mark before the cut ends the utterance.
   */
  #findCut(frames: number): boolean {
    if (this.#endpointer === undefined || this.#cut !== undefined) return false;
    const samples = this.#endpointer.find(this.#frames + frames);
    if (samples === undefined || this.start + samples > this.#checkedEnd) return false;
    this.#cut = { kind: 'flush', at: this.start + samples };
    return true;
  }

  /**
   * Discards the results of the current window. Does nothing and returns false if the window contains no audio after
   * the cut.
   */
  #rewind(): boolean {
    const samples = (this.#cut?.at ?? Infinity) - this.start;
    if (samples >= samplesFor(this.shape.framing, this.window + 1)) return false;
    this.#endpointer?.rewind();
    this.readyMs = undefined;
    return true;
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
      isEndpoint: mark === this.#cut,
      cost: this.#cost,
      ...(transcript.decoded === undefined ? {} : { pieces: transcript.decoded }),
    };
    return { id: this.id, kind: 'final', final };
  }

  /**
   * Starts the next utterance at this sample with a new search. The first window of an utterance has number 0. For this
   * number, the runner starts with empty caches.
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
    this.#endpointer?.start(this.search);
    this.ring.consume(at);
    return { id: this.id, kind: 'consumed', samples: at };
  }
}
