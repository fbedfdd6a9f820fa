import type { Model } from '@svc-asr/core';
import { AUDIO, SAMPLES_PER_MS } from '@svc-asr/core/stream';
import { openLongStream, SvcAsrError } from '@svc-asr/client';
import type { AsrStream, Client, FinalMessage, StreamConfig, StreamEvent, WebSocketConstructor } from '@svc-asr/client';
import { askModel } from './ask-model.ts';
import { chooseModel } from './choose-model.ts';
import type { Invocation } from './command.ts';
import { InterruptedError } from './exit.ts';
import { modelsFor } from './language.ts';
import { createNodeWebSocket } from './node-socket.ts';
import type { PcmSource } from './pcm-source.ts';
import { sendAudio } from './send-audio.ts';
import { clientOf, createSessionPatiently } from './service-client.ts';
import { configOf, maxSecondsOf } from './stream-options.ts';
import type { Transcript } from './transcript.ts';
import { createWaitNote } from './wait-note.ts';

/** A user is waiting, so the command makes fewer attempts to reconnect than the client does by default. */
const MAX_RECONNECTS = 3;

/** Settings and connections that the transcriptions of all sources of a command share. */
export interface Recognition {
  invocation: Invocation;
  client: Client;
  webSocket: WebSocketConstructor;
  model: string;
  /** Language code of the model. Empty if the service does not list the model. */
  language: string;
  config: StreamConfig | undefined;
  maxSamples: number;
}

export interface TranscribeOptions {
  transcript: Transcript;
  isRealtime: boolean;
  /** Called when the stream is ready for audio. */
  onReady?: () => void;
  /** Calls the listener at Ctrl-C. Returns a function that removes the listener. */
  onInterrupt?: (listener: () => void) => () => void;
}

export interface Transcribed {
  finals: FinalMessage[];
  /** Number of samples that have a final transcript. */
  samples: number;
  /** Reason why only a part of the audio was transcribed. Undefined if all audio was transcribed. */
  cut: 'credit' | 'max-seconds' | 'stopped' | undefined;
}

/** Selects the model and reads the options. Fails before any session is created. */
export async function prepareRecognition(invocation: Invocation): Promise<Recognition> {
  const { option, publicEndpoint } = invocation;
  const maxSamples = maxSecondsOf(invocation) * AUDIO.sampleRateHz;
  const webSocket = createNodeWebSocket(publicEndpoint().caFile);
  const client = clientOf(invocation, { needsKey: true });
  const models = await client.listModels();
  const [id, language] = [option('model'), option('language')];
  const model =
    id === undefined
      ? await chooseModel(models, language, askModel(invocation))
      : models.find((candidate) => candidate.id === id);
  return {
    invocation,
    client,
    webSocket,
    model: model?.id ?? id ?? '',
    language: model?.language_code ?? '',
    config: configOf(invocation, model, codeFor(language, model)),
    maxSamples,
  };
}

/** Returns the code that the service expects for a language tag. */
function codeFor(language: string | undefined, model: Model | undefined): string | undefined {
  if (language === undefined || model === undefined) return language;
  return modelsFor([model], language)[0]?.language_code ?? language;
}

/** Streams a source of any length and shows the transcript. */
export async function transcribe(
  recognition: Recognition,
  source: PcmSource,
  { transcript, isRealtime, onReady, onInterrupt }: TranscribeOptions,
): Promise<Transcribed> {
  const { config, maxSamples } = recognition;
  const stop = new AbortController();
  const stream = openFor(recognition, source, stop.signal);
  let isReady = false;
  const finals: FinalMessage[] = [];
  const wait = transcript.showsWaits ? undefined : createWaitNote(recognition.invocation.output);
  const showing = showAll(stream, transcript, (event) => {
    if (event.type === 'final') finals.push(event);
    if (event.type === 'status' && !isReady) wait?.show(event.message);
  });
  void stream.closed.then(source.stop);
  const release = onInterrupt?.(() => {
    source.stop();
    if (!isReady) stop.abort(new InterruptedError('stopped with Ctrl-C before the service was ready'));
  });
  const samplesOfFinals = () => (finals.at(-1)?.audio_end_ms ?? 0) * SAMPLES_PER_MS;
  try {
    if (config !== undefined) await stream.config(config);
    await stream.ready;
    isReady = true;
    wait?.end();
    transcript.end();
    onReady?.();
    const { samples, isCut } = await sendAudio(stream, source, { maxSamples, isRealtime });
    await stream.flush();
    await stream.close();
    await showing;
    return { finals, samples, cut: isCut ? (samples >= maxSamples ? 'max-seconds' : 'stopped') : undefined };
  } catch (error) {
    const isWithoutCredit = error instanceof SvcAsrError && error.code === 'insufficient_credits';
    if (!isWithoutCredit || !isReady) throw error;
    return { finals, samples: samplesOfFinals(), cut: 'credit' };
  } finally {
    release?.();
    wait?.end();
    source.stop();
    await stream.close();
    await showing.catch(() => undefined);
    transcript.end();
  }
}

function openFor(recognition: Recognition, { totalSamples }: PcmSource, signal: AbortSignal): AsrStream {
  const { invocation, client, webSocket, model, maxSamples } = recognition;
  const total = Math.min(totalSamples ?? Infinity, maxSamples);
  return openLongStream(
    ({ maxAudioSeconds }) => createSessionPatiently(invocation, client, { model, maxAudioSeconds, signal }),
    { webSocket, signal, maxReconnects: MAX_RECONNECTS, ...(total === Infinity ? {} : { totalSamples: total }) },
  );
}

async function showAll(stream: AsrStream, { show }: Transcript, onEvent: (event: StreamEvent) => void): Promise<void> {
  for await (const event of stream) {
    onEvent(event);
    show(event);
  }
}
