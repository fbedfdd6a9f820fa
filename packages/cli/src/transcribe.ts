import type { AsrSession } from '@svc-asr/core';
import { AUDIO, MAX_AUDIO_SECONDS, samplesOf } from '@svc-asr/core/stream';
import { openStream, SvcAsrStreamEnded } from '@svc-asr/client';
import type { AsrStream } from '@svc-asr/client';
import { chooseModel } from './choose-model.ts';
import type { Invocation } from './command.ts';
import { PartialError } from './exit.ts';
import { createNodeWebSocket } from './node-socket.ts';
import type { PcmSource } from './pcm-source.ts';
import { sendAudio } from './send-audio.ts';
import type { Sent } from './send-audio.ts';
import { clientOf } from './service-client.ts';
import { configOf, maxSecondsOf } from './stream-options.ts';
import { createTranscript } from './transcript.ts';
import type { Transcript } from './transcript.ts';

export interface TranscribeOptions {
  isRealtime: boolean;
  /** Called when the stream is ready for audio. */
  onReady?: () => void;
  /** Calls the listener at Ctrl-C. Returns a function that removes the listener. */
  onInterrupt?: (listener: () => void) => () => void;
}

export interface Transcribed extends Sent {
  session: AsrSession;
  /** Requested seconds. */
  requestedSeconds: number;
}

/** Creates a session, streams a source to it and prints the transcript. */
export async function transcribe(
  invocation: Invocation,
  source: PcmSource,
  options: TranscribeOptions,
): Promise<Transcribed> {
  const { option, publicEndpoint } = invocation;
  const [config, requestedSeconds] = [configOf(invocation), secondsFor(source, maxSecondsOf(invocation))];
  const webSocket = createNodeWebSocket(publicEndpoint().caFile);
  const client = clientOf(invocation, { needsKey: true });
  const model = option('model') ?? chooseModel(await client.listModels(), option('language'));
  const session = await client.createSession({ model, maxAudioSeconds: requestedSeconds });

  const stream = openStream(session, { webSocket });
  const transcript = createTranscript(invocation);
  const showing = showAll(stream, transcript);
  void stream.closed.then(source.stop);
  let [isReady, isInterrupted] = [false, false];
  const release = options.onInterrupt?.(() => {
    isInterrupted = true;
    source.stop();
    if (!isReady) void stream.close();
  });
  try {
    if (config !== undefined) await stream.config(config);
    await stream.ready;
    isReady = true;
    transcript.end();
    options.onReady?.();
    const maxSamples = samplesOf(session.audio.max_audio_seconds);
    const sent = await sendAudio(stream, source, { maxSamples, isRealtime: options.isRealtime });
    await finish(stream, showing, transcript);
    return { ...sent, session, requestedSeconds };
  } catch (error) {
    throw isInterrupted && !isReady ? new PartialError('stopped before the service was ready') : error;
  } finally {
    release?.();
    source.stop();
    await stream.close();
    await showing.catch(() => undefined);
    transcript.end();
  }
}

/** Requests the final transcript and waits until all events are printed. */
async function finish(stream: AsrStream, showing: Promise<void>, transcript: Transcript): Promise<void> {
  let failure: SvcAsrStreamEnded | undefined;
  try {
    await stream.flush();
  } catch (error) {
    if (!(error instanceof SvcAsrStreamEnded)) throw error;
    failure = error;
  }
  const end = await stream.close();
  await showing;
  // At the audio limit the service sends the final without a flush and closes.
  const isAtLimit = end.code === 1000 && transcript.finals() > 0;
  if (failure !== undefined && !isAtLimit) throw failure;
}

async function showAll(stream: AsrStream, { show }: Transcript): Promise<void> {
  for await (const event of stream) show(event);
}

/** Returns the seconds to reserve: the length of the source, up to the limits of the user and the service. */
function secondsFor({ totalSamples }: PcmSource, maxSeconds: number = MAX_AUDIO_SECONDS): number {
  if (totalSamples === undefined) return maxSeconds;
  return Math.min(maxSeconds, Math.max(1, Math.ceil(totalSamples / AUDIO.sampleRateHz)));
}
