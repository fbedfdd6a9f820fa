import { AUDIO } from '@svc-asr/core/stream';
import { toPcm16 } from '../audio/pcm16.ts';
import { createResampler } from '../audio/resampler.ts';
import { pause } from '../retry.ts';
import { createDeferred } from '../stream/deferred.ts';
import { AudioBuffer } from './audio-buffer.ts';
import { MicrophoneError, refusalOfDevice } from './error.ts';
import type { AudioGraph, BrowserAudio, MediaSource } from './web-audio.ts';

/** An object that accepts PCM16 audio, such as a stream. */
export interface AudioSink {
  send: (pcm: Int16Array) => Promise<void>;
}

/**
 * A microphone that captures audio. Iterating over it returns blocks of audio from the first sample on. If there are
 * several readers, each block goes to one of them.
 */
export interface Microphone extends AsyncIterable<Int16Array> {
  /**
   * Sends all audio to a stream, from the first captured sample on. Resolves after `stop`, when everything was sent.
   * Rejects if the stream or the microphone fails. The microphone then stops.
   */
  sendTo: (stream: AudioSink) => Promise<void>;
  /** Ends the capture and releases the device. The audio captured so far can still be read. */
  stop: () => Promise<void>;
}

export interface CaptureOptions {
  workletUrl: string;
  constraints: object;
  maxBufferedSeconds: number;
}

/**
 * Longest wait for the audio thread before the microphone is opened. A browser may take longer to start the thread if
 * the user has not clicked in the page yet.
 */
const START_MS = 500;
const RESUME_MS = 5000;
/** Longest wait for the last audio. An audio thread that the browser has suspended sends none. */
const STOP_MS = 1000;

/** Opens a microphone and captures its audio, resampled to 16 kHz. */
export async function capture(options: CaptureOptions): Promise<Microphone> {
  const { AudioContext, navigator } = globalThis as unknown as BrowserAudio;
  const { mediaDevices } = navigator;
  if (mediaDevices === undefined) {
    throw new MicrophoneError('insecure_page', 'browsers allow microphones only in pages from https:// or localhost');
  }
  const graph = new AudioContext();
  let source: MediaSource | undefined;
  try {
    // Safari requires this call in the handler of a click, before anything is awaited.
    const started = graph.resume();
    await loadWorklet(graph, options.workletUrl);
    // Audio that arrives before the audio thread runs would be lost, so the device is opened last.
    await Promise.race([started, pause(START_MS, undefined)]);
    source = await mediaDevices.getUserMedia({ audio: options.constraints }).catch((error: unknown) => {
      throw refusalOfDevice(error);
    });
    const microphone = connect(graph, source, options.maxBufferedSeconds);
    await ensureRunning(graph, microphone);
    return microphone;
  } catch (error) {
    for (const track of source?.getTracks() ?? []) track.stop();
    // The audio graph is already closed if the audio thread did not start.
    await graph.close().catch(() => undefined);
    throw error;
  }
}

async function loadWorklet(graph: AudioGraph, url: string): Promise<void> {
  await graph.audioWorklet.addModule(url).catch((error: unknown) => {
    throw new MicrophoneError(
      'worklet_refused',
      `the browser did not load ${url}; serve microphone-worklet.js, allow its origin in script-src, or set workletUrl`,
      error,
    );
  });
}

async function ensureRunning(graph: AudioGraph, microphone: Microphone): Promise<void> {
  await Promise.race([graph.resume(), pause(RESUME_MS, undefined)]);
  if (graph.state === 'running') return;
  await microphone.stop();
  throw new MicrophoneError(
    'suspended',
    'the browser did not start audio; call openMicrophone in the handler of a click',
  );
}

/** Connects a device to the worklet. The worklet posts blocks of samples, and null after the last block. */
function connect(graph: AudioGraph, source: MediaSource, maxBufferedSeconds: number): Microphone {
  const { AudioWorkletNode } = globalThis as unknown as BrowserAudio;
  const worklet = new AudioWorkletNode(graph, 'svc-asr-microphone', {
    numberOfInputs: 1,
    numberOfOutputs: 1,
    channelCount: 1,
    channelCountMode: 'explicit',
  });
  const buffer = new AudioBuffer(maxBufferedSeconds);
  const resampler = createResampler(graph.sampleRate, AUDIO.sampleRateHz);
  const drained = createDeferred<undefined>();
  let stopping: Promise<void> | undefined;

  worklet.port.onmessage = ({ data }) => {
    if (data === null) drained.resolve(undefined);
    else if (!buffer.push(toPcm16(resampler.push(data as Float32Array)))) void stop();
  };
  // Some browsers process a node only if it is connected to the destination. The worklet outputs silence.
  graph.createMediaStreamSource(source).connect(worklet).connect(graph.destination);

  async function end(error?: Error): Promise<void> {
    worklet.port.postMessage(null);
    await Promise.race([drained.promise, pause(STOP_MS, undefined)]);
    for (const track of source.getTracks()) track.stop();
    buffer.push(toPcm16(resampler.end()));
    buffer.end(error);
    await graph.close();
  }
  const stop = (error?: Error): Promise<void> => (stopping ??= end(error));
  for (const track of source.getTracks()) {
    // The browser reports this event only if the browser itself ends the capture, not after a call of `track.stop()`.
    track.addEventListener('ended', () => {
      void stop(new MicrophoneError('device_lost', 'the microphone was disconnected or its permission was withdrawn'));
    });
  }
  return {
    sendTo: async (stream) => {
      try {
        for await (const pcm of buffer.read()) await stream.send(pcm);
      } finally {
        await stop();
      }
    },
    stop: () => stop(),
    [Symbol.asyncIterator]: () => buffer.read(),
  };
}
