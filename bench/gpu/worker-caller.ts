import { randomUUID } from 'node:crypto';
import type { ContextSize, RelayAnswer } from '@svc-asr/core';
import { buildConfiguration } from '../../gateway/src/stream/configuration.ts';
import { Recognition } from '../../gateway/src/stream/recognition/recognition.ts';
import { Utterances } from '../../gateway/src/stream/recognition/utterances.ts';
import type { StreamSession } from '../../gateway/src/stream/session.ts';
import { CONTROL_SHARE } from './controls.ts';
import type { Control } from './controls.ts';
import { LOOKBACK_SAMPLES } from './crowd.ts';
import type { GatewaySide } from './gateway-side.ts';

/** Measurements of all callers of a process. */
export interface Measurements {
  isMeasuring: boolean;
  readonly latencies: number[];
  readonly finals: number[];
  readonly failures: string[];
  opened: number;
  compared: number;
  different: number;
}

export interface CallerOptions {
  readonly side: GatewaySide;
  readonly context: ContextSize;
  /** Speech in 16-bit samples. */
  readonly speech: Buffer;
  readonly controls: readonly Control[];
  readonly frameSamples: number;
  readonly measurements: Measurements;
}

/** An utterance that still waits for results. */
interface Spoken {
  /** Times at which the frames of the utterance were written. */
  readonly wroteMs: number[];
  readonly control: Control | undefined;
  flushedMs: number;
}

const BYTES = 2;
/** Shortest and longest utterance, in seconds. Durations are uniformly distributed. */
const UTTERANCE_SECONDS = [6, 10] as const;
/** Lowest and highest number of utterances of a stream. Numbers are uniformly distributed. */
const UTTERANCES = [2, 6] as const;
const SAMPLES_PER_SECOND = 16_000;
/**
 * Number of samples at the end of a window that the next window also needs for its features. A worker does not report
 * them as consumed with the window.
 */
const OVERLAP_SAMPLES = 1321;

/** Opens one stream after the other, with the modules of a gateway. */
export class WorkerCaller {
  readonly #options: CallerOptions;
  #recognition: Recognition | undefined;
  #session: StreamSession | undefined;
  #utterances = new Utterances();
  #spoken: Spoken[] = [];
  #chunkSamples = Infinity;
  #isOpen = false;
  #isEnding = false;
  #utterancesLeft = 0;
  /** Position of the next sample in the speech. */
  #at = 0;
  /** Position at which the utterance ends. */
  #endAt = 0;

  constructor(options: CallerOptions) {
    this.#options = options;
  }

  /** True while the answer to a window or to a flush has not arrived. */
  get isOwed(): boolean {
    return this.#isOpen && this.#utterances.owesAnswer(this.#chunkSamples);
  }

  /**
   * Writes the next frame to the open stream. If there is no stream, opens one, and writes nothing until that stream is
   * open. Call once per frame duration.
   */
  speak(): void {
    if (this.#recognition === undefined) this.#open();
    if (!this.#isOpen || this.#isEnding) return;
    const { speech, frameSamples } = this.#options;
    const end = Math.min(this.#endAt, this.#at + frameSamples);
    this.#utterances.append(speech.subarray(this.#at * BYTES, end * BYTES));
    this.#at = end;
    this.#spoken.at(-1)?.wroteMs.push(performance.now());
    this.#recognition?.forwardAudio();
    if (this.#at >= this.#endAt) this.#flush();
  }

  stop(): void {
    if (this.#recognition === undefined || this.#session === undefined) return;
    this.#recognition.stop();
    this.#recognition = undefined;
    this.#isOpen = false;
    this.#options.side.leave(this.#session).catch((error: unknown) => this.#fail(String(error)));
  }

  #open(): void {
    const { side, context, measurements } = this.#options;
    this.#utterances = new Utterances();
    this.#session = side.createSession(randomUUID());
    this.#spoken = [];
    this.#isEnding = false;
    this.#utterancesLeft = between(UTTERANCES);
    measurements.opened++;
    this.#recognition = new Recognition(side.parts, this.#session, this.#utterances, {
      onWait: () => undefined,
      onPlaced: () => undefined,
      onOpened: (_context, chunkSamples) => {
        if (this.#isOpen) this.#fail('a stream moved');
        this.#chunkSamples = chunkSamples;
        this.#isOpen = true;
        if (this.#spoken.length === 0) this.#begin();
      },
      onAnswer: (answer) => this.#receive(answer),
      onConfigurationRefused: (part) => this.#fail(`the ${part} was refused`),
      onFailed: (code) => {
        this.#fail(code);
        this.stop();
      },
    });
    this.#recognition.configuration = buildConfiguration({ context });
  }

  /**
   * Starts an utterance. A small share of the utterances are controls, whose transcript is known. All other utterances
   * start at a random position of the speech.
   */
  #begin(): void {
    const { speech, controls } = this.#options;
    const control = Math.random() < CONTROL_SHARE ? controls[Math.floor(Math.random() * controls.length)] : undefined;
    const length = control?.length ?? between(UTTERANCE_SECONDS) * SAMPLES_PER_SECOND;
    this.#at = control?.from ?? Math.floor(Math.random() * (speech.length / BYTES - length));
    this.#endAt = this.#at + length;
    this.#spoken.push({ wroteMs: [], control, flushedMs: 0 });
  }

  #flush(): void {
    this.#recognition?.end('flush');
    this.#utterances.flush();
    const spoken = this.#spoken.at(-1);
    if (spoken !== undefined) spoken.flushedMs = performance.now();
    if (--this.#utterancesLeft > 0) this.#begin();
    else this.#isEnding = true;
  }

  #receive(answer: Extract<RelayAnswer, { type: 'delta' | 'final' | 'reset_done' | 'consumed' }>): void {
    const { head } = this.#utterances;
    if (answer.type === 'consumed') {
      head.consume(answer.samples);
      this.#recordWindow(answer.samples);
    } else if (answer.type === 'final') {
      this.#utterances.takeAnswered();
      this.#recordFinal(answer.text);
      if (this.#isEnding && this.#spoken.length === 0) this.stop();
    }
  }

  /**
   * Records the time from the frame that contains the last sample of a window to the report that the window was
   * recognized.
   */
  #recordWindow(consumed: number): void {
    const { frameSamples, measurements } = this.#options;
    const windows = Math.round((consumed + OVERLAP_SAMPLES) / this.#chunkSamples);
    const lastSample = windows * this.#chunkSamples - LOOKBACK_SAMPLES - 1;
    const wroteMs = this.#spoken[0]?.wroteMs[Math.floor(lastSample / frameSamples)];
    if (wroteMs !== undefined && measurements.isMeasuring) measurements.latencies.push(performance.now() - wroteMs);
  }

  #recordFinal(text: string): void {
    const { measurements } = this.#options;
    const spoken = this.#spoken.shift();
    if (spoken === undefined) return;
    if (measurements.isMeasuring) measurements.finals.push(performance.now() - spoken.flushedMs);
    if (spoken.control === undefined) return;
    measurements.compared++;
    if (text !== spoken.control.text) measurements.different++;
  }

  #fail(reason: string): void {
    this.#options.measurements.failures.push(reason);
  }
}

const between = ([low, high]: readonly [number, number]): number => low + Math.floor(Math.random() * (high - low + 1));
