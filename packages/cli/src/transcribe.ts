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
  /** Called when audio is sent from now on. */
  onReady?: () => void;
  /** Lets the person end the audio; gives a function that takes it back. */
  onInterrupt?: (listener: () => void) => () => void;
}

export interface Transcribed extends Sent {
  session: AsrSession;
  /** Seconds that were asked for. */
  wantedSeconds: number;
}

/** Makes a session, streams a source to it and shows what comes back. */
export async function transcribe(
  invocation: Invocation,
  source: PcmSource,
  options: TranscribeOptions,
): Promise<Transcribed> {
  const { option, publicEndpoint } = invocation;
  const [config, wantedSeconds] = [configOf(invocation), secondsFor(source, maxSecondsOf(invocation))];
  const webSocket = createNodeWebSocket(publicEndpoint().caFile);
  const client = clientOf(invocation, { needsKey: true });
  const model = option('model') ?? chooseModel(await client.listModels(), option('language'));
  const session = await client.createSession({ model, maxAudioSeconds: wantedSeconds });

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
    return { ...sent, session, wantedSeconds };
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

/** Asks for the final and waits until everything has been shown. */
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
  // At its limit the service sends the final without being asked, and closes.
  const isAtLimit = end.code === 1000 && transcript.finals() > 0;
  if (failure !== undefined && !isAtLimit) throw failure;
}

async function showAll(stream: AsrStream, { show }: Transcript): Promise<void> {
  for await (const event of stream) show(event);
}

/** What to reserve: as much as there is, within what the person and the service allow. */
function secondsFor({ totalSamples }: PcmSource, maxSeconds: number = MAX_AUDIO_SECONDS): number {
  if (totalSamples === undefined) return maxSeconds;
  return Math.min(maxSeconds, Math.max(1, Math.ceil(totalSamples / AUDIO.sampleRateHz)));
}
