import { AUDIO, audioMs, chunkSamples, parseClientMessage, samplesOf, streamError } from '@svc-asr/core';
import type { ClientMessage, ServerMessage, StreamErrorCode } from '@svc-asr/core';
import type { RawData, WebSocket } from 'ws';

/** How a stream of the test service goes; everything absent is as the protocol says. */
export interface Script {
  /** How long it waits before `ready`, telling `status`. */
  readyAfterMs?: number;
  /** Closes with this code instead of answering the first flush; `final` says whether one comes before. */
  closeAtFlush?: { code: number; reason?: string; error?: StreamErrorCode; final?: boolean };
  /** Breaks the connection when so many samples have come. */
  breakAtSamples?: number;
  /** Leaves a flush without an answer. */
  isDeaf?: boolean;
  /** Does not read for so long after `ready`. */
  stallMs?: number;
  text?: string;
}

/** What the service heard of a stream. */
export interface Heard {
  audio: Buffer[];
  messages: ClientMessage[];
  frameBytes: number[];
  closeCode: Promise<number>;
}

/** Speaks the protocol: the transcript of an utterance is the number of its samples, or the text of the script. */
export function speak(
  socket: WebSocket,
  session: { id: string; model: string; seconds: number },
  script: Script,
): Heard {
  const heard: Heard = {
    audio: [],
    messages: [],
    frameBytes: [],
    closeCode: new Promise((resolve) => socket.once('close', resolve)),
  };
  const limit = samplesOf(session.seconds);
  let [utterance, startSample, samples, invalid, right] = [1, 0, 0, 0, 13];
  let isReady = false;
  const early: ClientMessage[] = [];
  const say = (message: ServerMessage) => socket.send(JSON.stringify(message));
  const textOf = (count: number) => script.text ?? `${count} samples`;

  function fail(code: StreamErrorCode): void {
    const { event, close, invalidMessages } = streamError(code, invalid);
    invalid = invalidMessages;
    say(event);
    if (close !== undefined) socket.close(close, code);
  }

  function finalize(): void {
    const [start, end] = [audioMs(startSample), audioMs(samples)];
    const text = textOf(samples - startSample);
    const words = [{ text, start_ms: start, end_ms: end }];
    say({ type: 'final', text, utterance, audio_start_ms: start, audio_end_ms: end, words });
    utterance++;
    startSample = samples;
  }

  function onAudio(frame: Buffer): void {
    heard.frameBytes.push(frame.length);
    if (!isReady) fail('audio_before_ready');
    else if (frame.length > 65_536) fail('frame_too_large');
    else if (frame.length % 2 === 1) fail('invalid_audio_frame');
    else accept(frame.subarray(0, (limit - samples) * 2));
  }

  function accept(audio: Buffer): void {
    heard.audio.push(audio);
    const chunksBefore = Math.floor((samples - startSample) / chunkSamples(right));
    samples += audio.length / 2;
    if (samples >= (script.breakAtSamples ?? Infinity)) {
      socket.terminate();
      return;
    }
    if (Math.floor((samples - startSample) / chunkSamples(right)) > chunksBefore) {
      say({ type: 'delta', text: textOf(samples - startSample), utterance, audio_end_ms: audioMs(samples) });
    }
    if (samples < limit) return;
    finalize();
    socket.close(1000, 'audio_limit_reached');
  }

  function onMessage(message: ClientMessage): void {
    if (message.type === 'flush') onFlush();
    else if (message.type === 'reset') {
      startSample = samples;
      say({ type: 'reset_ack', utterance: ++utterance });
    } else if (samples > startSample) fail('config_not_allowed');
    else if (message.language !== undefined && message.language !== 'ki') fail('invalid_config');
    else {
      right = message.context?.[1] ?? 13;
      say({ type: 'config_ack', language: 'ki', context_size: [56, right], chunk_samples: chunkSamples(right) });
    }
  }

  function onFlush(): void {
    const { closeAtFlush: end } = script;
    if (script.isDeaf === true) return;
    if (end === undefined || end.final === true) finalize();
    if (end?.error !== undefined) say(streamError(end.error, 9).event);
    if (end !== undefined) socket.close(end.code, end.reason ?? end.error ?? '');
  }

  socket.on('message', (data: RawData, isBinary) => {
    if (isBinary) {
      onAudio(data as Buffer);
      return;
    }
    const parsed = parseClientMessage((data as Buffer).toString());
    if (!parsed.ok) {
      fail(parsed.code);
      return;
    }
    heard.messages.push(parsed.message);
    if (isReady) onMessage(parsed.message);
    else early.push(parsed.message);
  });

  say({ type: 'status', state: 'waiting_for_capacity', message: 'Waiting for a free recognition slot.' });
  const timer = setTimeout(() => {
    isReady = true;
    say({
      type: 'ready',
      session_id: session.id,
      model: session.model,
      chunk_samples: chunkSamples(13),
      sample_rate_hz: AUDIO.sampleRateHz,
      context_size: [...AUDIO.defaultContext],
      max_frame_bytes: 65_536,
      max_audio_seconds: session.seconds,
    });
    early.forEach(onMessage);
    if (script.stallMs === undefined) return;
    socket.pause();
    setTimeout(() => socket.resume(), script.stallMs);
  }, script.readyAfterMs ?? 0);
  socket.once('close', () => clearTimeout(timer));
  return heard;
}
