/**
 * Runs sherpa-onnx in a separate process, because its package and ours contain different builds of the same runtime
 * library.
 */
import { createRequire } from 'node:module';
import { AUDIO } from '@svc-asr/core';
import type { Round } from './ours.ts';
import { FRAME_SAMPLES } from './ours.ts';
import { readStreams } from './audio.ts';

interface SherpaStream {
  acceptWaveform(audio: { samples: Float32Array; sampleRate: number }): void;
  inputFinished(): void;
}

interface Recognizer {
  createStream(): SherpaStream;
  isReady(stream: SherpaStream): boolean;
  decode(stream: SherpaStream): void;
  decodeStreams(streams: SherpaStream[]): void;
  getResult(stream: SherpaStream): { text: string };
}

/** A request of the parent process. */
export interface SherpaRequest {
  readonly model: string;
  readonly tokens: string;
  readonly folder: string;
  readonly streams: number;
  readonly parts: number;
  /** `single` decodes each stream separately to its end. `batch` decodes all streams together. */
  readonly mode: 'single' | 'batch';
}

const HOP_SAMPLES = 160;
// sherpa-onnx uses windows of 121 frames, which start 112 frames apart.
const WINDOW_FRAMES = 121;
const SHIFT_FRAMES = 112;
const recognizers = new Map<string, Recognizer>();

process.on('message', (request: SherpaRequest) => {
  process.send?.(run(request));
});

function run({ model, tokens, folder, streams: count, parts, mode }: SherpaRequest): Round {
  const recognizer = recognizers.get(model) ?? create(model, tokens);
  recognizers.set(model, recognizer);
  const utterances = readStreams(folder, count, parts).map((stream) => stream.map(({ samples }) => prepare(samples)));
  const [cpu, started] = [process.cpuUsage(), performance.now()];
  const texts: string[][] = utterances.map(() => []);
  for (let part = 0; part < parts; part++) {
    const audio = utterances.flatMap((stream) => stream[part] ?? []);
    const streams =
      mode === 'batch' ? decodeTogether(recognizer, audio) : audio.flatMap((one) => decodeTogether(recognizer, [one]));
    streams.forEach((stream, i) => texts[i]?.push(recognizer.getResult(stream).text.trim()));
  }
  const spent = process.cpuUsage(cpu);
  return { cpuMs: (spent.user + spent.system) / 1000, wallMs: performance.now() - started, texts: texts.flat() };
}

/**
 * Converts samples and appends silence, because sherpa-onnx has no flush. The silence is just long enough to process
 * the last window.
 */
function prepare(samples: Int16Array): Float32Array {
  const frames = Math.ceil(samples.length / HOP_SAMPLES) + 2;
  const windows = Math.max(1, Math.ceil((frames - WINDOW_FRAMES) / SHIFT_FRAMES) + 1);
  const needed = (WINDOW_FRAMES + (windows - 1) * SHIFT_FRAMES + 2) * HOP_SAMPLES;
  const padded = new Float32Array(needed);
  padded.set(Float32Array.from(samples, (value) => value / 32_768));
  return padded;
}

function create(model: string, tokens: string): Recognizer {
  const { OnlineRecognizer } = createRequire(import.meta.url)('sherpa-onnx-node') as {
    OnlineRecognizer: new (config: unknown) => Recognizer;
  };
  return new OnlineRecognizer({
    featConfig: { sampleRate: AUDIO.sampleRateHz, featureDim: 80 },
    modelConfig: { nemoCtc: { model }, tokens, numThreads: 1, provider: 'cpu' },
    decodingMethod: 'greedy_search',
    enableEndpoint: false,
  });
}

/** Sends one frame of each stream at a time, and decodes the streams that are ready. */
function decodeTogether(recognizer: Recognizer, audio: readonly Float32Array[]): SherpaStream[] {
  const streams = audio.map(() => recognizer.createStream());
  const decodeReady = (): void => {
    for (;;) {
      const ready = streams.filter((stream) => recognizer.isReady(stream));
      const [first] = ready;
      if (first === undefined) return;
      if (ready.length === 1) recognizer.decode(first);
      else recognizer.decodeStreams(ready);
    }
  };
  const longest = Math.max(...audio.map(({ length }) => length));
  for (let at = 0; at < longest; at += FRAME_SAMPLES) {
    streams.forEach((stream, i) => {
      const samples = audio[i]?.subarray(at, at + FRAME_SAMPLES);
      if (samples !== undefined && samples.length > 0)
        stream.acceptWaveform({ samples, sampleRate: AUDIO.sampleRateHz });
    });
    decodeReady();
  }
  for (const stream of streams) stream.inputFinished();
  decodeReady();
  return streams;
}
