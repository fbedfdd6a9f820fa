import { AUDIO, MessageRate, STREAM_LIMITS } from '@svc-asr/core';
import { isSameConfiguration } from '../../stream/configuration.ts';
import type { Configuration } from '../../stream/configuration.ts';
import type { Stream } from '../../stream/stream.ts';
import type { End } from './ends.ts';
import { rateOf, widthOf } from './input-format.ts';
import type { InputAudio } from './input-format.ts';
import type { Operation } from './operations.ts';

const FLUSH = Buffer.from(JSON.stringify({ type: 'flush' }));
const RESET = Buffer.from(JSON.stringify({ type: 'reset' }));

/** Result of sending an operation. */
export interface Sent {
  /** Part of the operation that was not sent. */
  readonly rest?: Operation;
  /** Time after which the rest can be sent. */
  readonly waitMs?: number;
}

/** Sends the operations of a client to the stream of a session. */
export class SessionSender {
  readonly stream: Stream;
  /** Requests to end an utterance that the stream has not answered yet, oldest first. */
  readonly ends: End[] = [];
  readonly #input: InputAudio;
  #sentSamples = 0;
  #utteranceSamples = 0;
  #configuration: Configuration | undefined;
  /**
   * Rate limit for text messages, equal to that of the stream. Operations over the rate are delayed, because the stream
   * would refuse them.
   */
  readonly #textRate = new MessageRate(STREAM_LIMITS.textMessagesPerSecond, STREAM_LIMITS.textMessageBurst);

  constructor(stream: Stream, input: InputAudio) {
    this.stream = stream;
    this.#input = input;
  }

  get sentSamples(): number {
    return this.#sentSamples;
  }

  /**
   * Sends an operation. If it is long audio, sends only the first second, because the resampler blocks the event loop.
   */
  send(step: Operation): Sent {
    if (step.type === 'audio') {
      const { bytes, format } = step;
      const pieceBytes = rateOf(format) * widthOf(format);
      this.#sendPcm(this.#input.push(bytes.subarray(0, pieceBytes), format));
      const rest = bytes.subarray(pieceBytes);
      return rest.length === 0 ? {} : { rest: { type: 'audio', bytes: rest, format } };
    }
    const waitMs = this.#textRate.take(performance.now());
    if (waitMs > 0) return { rest: step, waitMs };
    if (step.type === 'config') this.configure(step.configuration);
    else this.#end(step.type);
    return {};
  }

  /**
   * Sends a configuration, unless the stream already has it. If the stream has received audio of the current utterance,
   * that utterance ends first.
   */
  configure(configuration: Configuration): void {
    if (this.#configuration !== undefined && isSameConfiguration(this.#configuration, configuration)) return;
    if (this.#utteranceSamples > 0) this.#end('config');
    this.#configuration = configuration;
    this.stream.receive(configMessage(configuration), false);
  }

  /** Ends the stream with a transcript of the buffered audio. */
  finish(reason: 'idle_timeout' | 'session_time_limit'): void {
    this.#sendPcm(this.#input.end());
    this.ends.push('finish');
    this.stream.endWithFinal({ outcome: 'completed', code: 1000, reason });
  }

  #end(end: 'flush' | 'reset' | 'config'): void {
    const rest = this.#input.end();
    if (end !== 'reset') this.#sendPcm(rest);
    this.#utteranceSamples = 0;
    this.ends.push(end);
    this.stream.receive(end === 'reset' ? RESET : FLUSH, false);
  }

  #sendPcm(pcm: Buffer): void {
    for (let at = 0; at < pcm.length; at += AUDIO.maxFrameBytes) {
      this.stream.receive(pcm.subarray(at, Math.min(at + AUDIO.maxFrameBytes, pcm.length)), true);
    }
    const samples = pcm.length / AUDIO.bytesPerSample;
    this.#sentSamples += samples;
    this.#utteranceSamples += samples;
  }
}

function configMessage({ context, silenceMs }: Configuration): Buffer {
  const endpointing = silenceMs === undefined ? {} : { endpointing: { silence_ms: silenceMs } };
  return Buffer.from(JSON.stringify({ type: 'config', context, ...endpointing }));
}
