import { AUDIO } from '@svc-asr/core/stream';
import type { Context, EngineClient, EngineStream } from '@svc-asr/worker';
import { CONTROL_SHARE } from './controls.ts';
import type { Control } from './controls.ts';
import type { LoadResult } from './load-summary.ts';
import { randomStartMs, takeTurns } from './turns.ts';
import type { Turn } from './turns.ts';

/** Load for an engine: streams that send utterances in real time, close and open again. */
export interface CrowdOptions {
  readonly engine: Pick<EngineClient, 'info' | 'freeSlots' | 'open'>;
  /** Value of `Date.now()` at which the run starts. Several crowds get the same value, so that they start together. */
  readonly startAtMs: number;
  readonly context: Context;
  readonly streams: number;
  /** Duration of the measurement. */
  readonly seconds: number;
  /**
   * Time before the measurement. In this time, streams open one after the other, and the engine uses its memory for the
   * first time.
   */
  readonly warmSeconds: number;
  /** Speech that the streams send. Utterances start at different positions in it. */
  readonly speech: Int16Array;
  /** Utterances with known transcripts. About one percent of the utterances are such controls. */
  readonly controls: readonly Control[];
  /** Whether all streams complete their windows at the same time. By default each stream has a random phase. */
  readonly inPhase?: boolean;
}

/** Measurements of a crowd. */
export interface CrowdResult extends LoadResult {
  /**
   * Number of measured turns in which a speaker did not write, because it still waited for a final or for a free slot.
   */
  readonly skippedTurns: number;
  /** Number of controls (see `Control`) whose transcript differs from the one that the engine returned without load. */
  readonly differentAlone: number;
}

/**
 * The last feature frame of a chunk starts 1,280 samples before the end of the chunk and needs 200 samples. The first
 * window of an utterance is therefore complete 1,080 samples before the end of the chunk.
 */
export const LOOKBACK_SAMPLES = 1080;
/** Shortest and longest utterance, in seconds. Durations are uniformly distributed. */
const UTTERANCE_SECONDS = [6, 10] as const;
/** Lowest and highest number of utterances of a stream. Numbers are uniformly distributed. */
const UTTERANCES = [2, 6] as const;
/** Time that the crowd waits for the remaining results after its last write. */
const SETTLE_MS = 3000;
/** Time that the crowd waits after it has closed its streams, so that the engine can release their slots. */
const CLOSE_MS = 500;

/** A speaker. It opens one stream after the other, and writes one utterance at a time. */
class Speaker implements Turn {
  readonly phaseMs: number;
  readonly startMs: number;
  /** Undefined between two streams. */
  stream: EngineStream | undefined;
  /** Position in the speech at which the utterance starts. */
  from = 0;
  /** Position of the next sample. */
  at = 0;
  /** The control, if the current utterance is one. The transcript of a control is known before the run. */
  control: Control | undefined;
  windowsLeft = 0;
  utterancesLeft = 0;
  /** Times of the writes that completed a window whose result has not arrived yet, oldest first. */
  readonly wroteMs: number[] = [];
  /** Time of the flush whose final has not arrived yet. 0 if there is none. */
  flushedMs = 0;

  constructor(phaseMs: number, startMs: number) {
    this.phaseMs = phaseMs;
    this.startMs = startMs;
  }
}

/** Runs a crowd for the given time and measures its latencies. */
export async function runCrowd(options: CrowdOptions): Promise<CrowdResult> {
  const crowd = new Crowd(options);
  await crowd.run();
  return crowd.result();
}

class Crowd {
  readonly #options: CrowdOptions;
  readonly #chunk: number;
  readonly #periodMs: number;
  readonly #latencies: number[] = [];
  readonly #finals: number[] = [];
  #lags: number[] = [];
  readonly #failures: string[] = [];
  #opened = 0;
  #compared = 0;
  #different = 0;
  #differentAlone = 0;
  #skippedTurns = 0;
  #unanswered = 0;
  #measuring = false;

  constructor(options: CrowdOptions) {
    this.#options = options;
    const { engine, context } = options;
    const known = engine.info.contexts.find((entry) => entry.context.join() === context.join());
    if (known === undefined) throw new Error(`the model has no context ${context.join()}`);
    this.#chunk = known.chunkSamples;
    this.#periodMs = (this.#chunk / AUDIO.sampleRateHz) * 1000;
  }

  async run(): Promise<void> {
    const { streams, seconds, warmSeconds, inPhase = false } = this.#options;
    const speakers = Array.from({ length: streams }, () => {
      return new Speaker(inPhase ? 0 : Math.random() * this.#periodMs, randomStartMs(warmSeconds));
    });
    this.#lags = await takeTurns(speakers, {
      startedMs: performance.now() + this.#options.startAtMs - Date.now(),
      periodMs: this.#periodMs,
      warmSeconds,
      seconds,
      onPeriod: (isMeasured) => {
        this.#measuring = isMeasured;
      },
      speak: (speaker) => this.#speak(speaker),
    });
    await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
    for (const { wroteMs, flushedMs } of speakers) this.#unanswered += wroteMs.length + (flushedMs > 0 ? 1 : 0);
    for (const { stream } of speakers) stream?.close();
    await new Promise((resolve) => setTimeout(resolve, CLOSE_MS));
  }

  result(): CrowdResult {
    return {
      opened: this.#opened,
      failures: this.#failures,
      latencies: Float64Array.from(this.#latencies),
      finals: Float64Array.from(this.#finals),
      lags: Float64Array.from(this.#lags),
      unanswered: this.#unanswered,
      skippedTurns: this.#skippedTurns,
      compared: this.#compared,
      different: this.#different,
      differentAlone: this.#differentAlone,
    };
  }

  #open(speaker: Speaker): EngineStream {
    const { engine, context } = this.#options;
    const stream = engine.open({ context });
    this.#opened++;
    speaker.stream = stream;
    speaker.utterancesLeft = between(UTTERANCES);
    this.#begin(speaker);
    stream.on('consumed', () => {
      // Results of a closed stream may still arrive. They do not belong to the speaker's next stream.
      const wroteMs = speaker.stream === stream ? speaker.wroteMs.shift() : undefined;
      if (wroteMs !== undefined && this.#measuring) this.#latencies.push(performance.now() - wroteMs);
    });
    stream.on('final', ({ text }) => {
      if (this.#measuring) this.#finals.push(performance.now() - speaker.flushedMs);
      if (speaker.control !== undefined) {
        this.#compared++;
        if (text !== speaker.control.text) this.#different++;
        if (text !== speaker.control.alone) this.#differentAlone++;
      }
      this.#begin(speaker);
    });
    stream.on('error', ({ message }) => {
      if (speaker.stream === stream) speaker.stream = undefined;
      this.#failures.push(message);
    });
    return stream;
  }

  /**
   * Starts the next utterance of a speaker. A small share of the utterances are controls, whose transcript is known.
   * All other utterances start at a random position of the speech.
   */
  #begin(speaker: Speaker): void {
    const { speech, controls } = this.#options;
    const control = Math.random() < CONTROL_SHARE ? controls[Math.floor(Math.random() * controls.length)] : undefined;
    speaker.control = control;
    if (control === undefined) {
      speaker.windowsLeft = Math.round((between(UTTERANCE_SECONDS) * 1000) / this.#periodMs);
      speaker.from = Math.floor(Math.random() * (speech.length - (speaker.windowsLeft + 1) * this.#chunk));
    } else {
      speaker.windowsLeft = Math.round((control.length + LOOKBACK_SAMPLES) / this.#chunk);
      speaker.from = control.from;
    }
    speaker.at = speaker.from;
    speaker.wroteMs.length = 0;
    speaker.flushedMs = 0;
  }

  /**
   * Writes the audio that completes the next window of a speaker. After the last window of an utterance, flushes the
   * utterance. After the last utterance, closes the stream.
   */
  #speak(speaker: Speaker): void {
    // The final of the previous utterance may not have arrived yet, and a closed stream may still hold its slot.
    if (speaker.flushedMs > 0 || (speaker.stream === undefined && this.#options.engine.freeSlots === 0)) {
      if (this.#measuring) this.#skippedTurns++;
      return;
    }
    const stream = speaker.stream ?? this.#open(speaker);
    const length = speaker.at === speaker.from ? this.#chunk - LOOKBACK_SAMPLES : this.#chunk;
    stream.write(this.#options.speech.subarray(speaker.at, speaker.at + length));
    speaker.at += length;
    if (--speaker.windowsLeft > 0) {
      speaker.wroteMs.push(performance.now());
    } else if (--speaker.utterancesLeft > 0) {
      // The last window of an utterance has no delta. Its latency is measured by the final instead.
      speaker.flushedMs = performance.now();
      stream.flush();
    } else {
      stream.close();
      speaker.stream = undefined;
      speaker.wroteMs.length = 0;
    }
  }
}

const between = ([low, high]: readonly [number, number]): number => low + Math.floor(Math.random() * (high - low + 1));
