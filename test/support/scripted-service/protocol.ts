import { AUDIO, audioMs, chunkSamples, parseClientMessage, samplesOf, streamError } from '@svc-asr/core';
import type { ClientMessage, ServerMessage, StreamErrorCode } from '@svc-asr/core';
import type { RawData, WebSocket } from 'ws';

/** Behaviour of the streams of the test service. Without values, a stream follows the protocol. */
export interface Script {
  /** Delay before `ready`. The client receives `status` at once. */
  readyAfterMs?: number;
  /** Closes with this code at the first flush. With `final`, the final transcript is sent before. */
  closeAtFlush?: { code: number; reason?: string; error?: StreamErrorCode; final?: boolean };
  /** Breaks the connection after this number of samples. */
  breakAtSamples?: number;
  /** Does not reply to a flush. */
  ignoresFlush?: boolean;
  /** Stops reading for this time after `ready`. */
  stallMs?: number;
  text?: string;
}

/** Everything that the service received on a stream. */
export interface Received {
  audio: Buffer[];
  messages: ClientMessage[];
  frameBytes: number[];
  closeCode: Promise<number>;
}

/** Serves a stream. The transcript of an utterance is the number of its samples, or the text of the script. */
export function serveStream(
  socket: WebSocket,
  session: { id: string; model: string; seconds: number },
  script: Script,
): Received {
  const received: Received = {
    audio: [],
    messages: [],
    frameBytes: [],
    closeCode: new Promise((resolve) => socket.once('close', resolve)),
  };
  const limit = samplesOf(session.seconds);
  let [utterance, startSample, samples, invalid, right] = [1, 0, 0, 0, 13];
  let isReady = false;
  const early: ClientMessage[] = [];
  const send = (message: ServerMessage) => socket.send(JSON.stringify(message));
  const textOf = (count: number) => script.text ?? `${count} samples`;

  function fail(code: StreamErrorCode): void {
    const { event, close, invalidMessages } = streamError(code, invalid);
    invalid = invalidMessages;
    send(event);
    if (close !== undefined) socket.close(close, code);
  }

  function finalize(): void {
    const [start, end] = [audioMs(startSample), audioMs(samples)];
    const text = textOf(samples - startSample);
    const words = [{ text, start_ms: start, end_ms: end }];
    send({ type: 'final', text, utterance, audio_start_ms: start, audio_end_ms: end, words });
    utterance++;
    startSample = samples;
  }

  function onAudio(frame: Buffer): void {
    received.frameBytes.push(frame.length);
    if (!isReady) fail('audio_before_ready');
    else if (frame.length > 65_536) fail('frame_too_large');
    else if (frame.length % 2 === 1) fail('invalid_audio_frame');
    else accept(frame.subarray(0, (limit - samples) * 2));
  }

  function accept(audio: Buffer): void {
    received.audio.push(audio);
    const chunksBefore = Math.floor((samples - startSample) / chunkSamples(right));
    samples += audio.length / 2;
    if (samples >= (script.breakAtSamples ?? Infinity)) {
      socket.terminate();
      return;
    }
    if (Math.floor((samples - startSample) / chunkSamples(right)) > chunksBefore) {
      send({ type: 'delta', text: textOf(samples - startSample), utterance, audio_end_ms: audioMs(samples) });
    }
    if (samples < limit) return;
    finalize();
    socket.close(1000, 'audio_limit_reached');
  }

  function onMessage(message: ClientMessage): void {
    if (message.type === 'flush') onFlush();
    else if (message.type === 'reset') {
      startSample = samples;
      send({ type: 'reset_ack', utterance: ++utterance });
    } else if (samples > startSample) fail('config_not_allowed');
    else if (message.language !== undefined && message.language !== 'ki') fail('invalid_config');
    else {
      right = message.context?.[1] ?? 13;
      send({ type: 'config_ack', language: 'ki', context_size: [56, right], chunk_samples: chunkSamples(right) });
    }
  }

  function onFlush(): void {
    const { closeAtFlush: end } = script;
    if (script.ignoresFlush === true) return;
    if (end === undefined || end.final === true) finalize();
    if (end?.error !== undefined) send(streamError(end.error, 9).event);
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
    received.messages.push(parsed.message);
    if (isReady) onMessage(parsed.message);
    else early.push(parsed.message);
  });

  send({ type: 'status', state: 'waiting_for_capacity', message: 'Waiting for a free recognition slot.' });
  const timer = setTimeout(() => {
    isReady = true;
    send({
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
  return received;
}
