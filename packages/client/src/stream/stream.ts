import type { AsrSession, ConfigAckMessage, FinalMessage, ReadyMessage, ResetAckMessage } from '@svc-asr/core';
import { AUDIO, MessageRate, STREAM_LIMITS } from '@svc-asr/core/stream';
import { conceal } from '../conceal.ts';
import { pause } from '../retry.ts';
import type { StreamEnd } from './advice.ts';
import { tolerated } from './deferred.ts';
import type { StreamEvent } from './event.ts';
import { bytesOf, createFramer } from './frames.ts';
import type { PcmAudio } from './frames.ts';
import { Lifecycle } from './lifecycle.ts';
import type { StreamConfig, StreamOptions } from './options.ts';
import { createOutbox } from './outbox.ts';

/**
 * The client sends text messages at this share of the rate that the service allows. The share is below 1, because
 * messages can arrive at shorter intervals than those at which they were sent.
 */
const RATE_SHARE = 0.8;

/**
 * A stream of a session. Iterating over it returns its events. If there are several readers, each event goes to one of
 * them. Leaving the loop does not close the stream. Messages are sent in the order of the calls. A promise that is not
 * awaited causes no unhandled rejection; `closed` reports how the stream ended.
 */
export interface AsrStream extends AsyncIterable<StreamEvent> {
  /** Resolves when audio may be sent. `send` waits for it automatically. */
  readonly ready: Promise<ReadyMessage>;
  /** How the stream ended and what to do next. Never rejects. */
  readonly closed: Promise<StreamEnd>;
  /** Sends audio: 16,000 Hz, one channel, 16 bits. Resolves when there is room for more. */
  send: (pcm: PcmAudio) => Promise<void>;
  /** Sets language, context, endpointing and phrases. Call it before the first audio of an utterance. */
  config: (config?: StreamConfig) => Promise<ConfigAckMessage>;
  /**
   * Finalizes the utterance and returns its final transcript. With endpointing, the transcripts of utterances that
   * ended at pauses are only events.
   */
  flush: () => Promise<FinalMessage>;
  /** Drops the utterance and starts a new one. */
  reset: () => Promise<ResetAckMessage>;
  /** Restarts the idle timeout of the service, so that a stream without audio stays open. The call costs no credit. */
  keepAlive: () => Promise<void>;
  /**
   * Ends the session when everything was sent. It does not wait for replies. A `flush` or `reset` that has no reply yet
   * fails, so await it first. If the stream is not ready yet, nothing more is sent, and pending calls fail.
   */
  close: () => Promise<StreamEnd>;
}

/**
 * Opens the stream of a session that a server created. Needs no API key, so browsers and apps can use this function.
 */
export function openStream(session: AsrSession, options: StreamOptions = {}): AsrStream {
  return startStream(() => Promise.resolve(session), options);
}

/** Creates a session and opens its stream. */
export function startStream(createSession: () => Promise<AsrSession>, options: StreamOptions): AsrStream {
  const { maxBufferedBytes = 262_144 } = options;
  const life = new Lifecycle(createSession, options);
  const outbox = createOutbox();
  const framer = createFramer();
  const { textMessagesPerSecond, textMessageBurst } = STREAM_LIMITS;
  const textRate = new MessageRate(textMessagesPerSecond * RATE_SHARE, textMessageBurst * RATE_SHARE);

  /** Waits until at most `maxBufferedBytes` are buffered. It polls, because WebSockets have no event for this. */
  async function waitForRoom(): Promise<void> {
    for (let waitMs = 2; life.connection().bufferedBytes() > maxBufferedBytes; waitMs = Math.min(waitMs * 2, 50)) {
      await pause(waitMs, options.signal);
    }
  }

  /** Sends a message in order and returns the reply. The next message does not wait for the reply. */
  async function request<T>(send: () => Promise<{ reply: Promise<T> }>): Promise<T> {
    const { reply } = await outbox.add(send);
    return reply;
  }
  /** Sends a text message, after a wait if messages were sent faster than the service allows. */
  async function sendMessage(message: object): Promise<void> {
    for (let waitMs = textRate.take(performance.now()); waitMs > 0; waitMs = textRate.take(performance.now())) {
      await pause(waitMs, options.signal);
    }
    life.connection().send(JSON.stringify(message));
  }

  const stream: AsrStream = {
    ready: life.ready,
    closed: life.closed,
    send: (pcm) => {
      const bytes = bytesOf(pcm);
      return outbox.add(async () => {
        const { max_frame_bytes: most } = await life.ready;
        for (const frame of framer.cut(bytes, Math.min(most, AUDIO.maxFrameBytes))) {
          await waitForRoom();
          life.connection().send(frame);
        }
        await waitForRoom();
      });
    },
    config: (config = {}) =>
      tolerated(
        request(async () => {
          await life.opened;
          await sendMessage({ type: 'config', ...config });
          return { reply: life.replies.expect('config_ack') };
        }),
      ),
    flush: () =>
      tolerated(
        request(async () => {
          await life.ready;
          framer.drop();
          await sendMessage({ type: 'flush' });
          return { reply: life.replies.expect('final') };
        }),
      ),
    reset: () =>
      tolerated(
        request(async () => {
          await life.ready;
          framer.drop();
          await sendMessage({ type: 'reset' });
          return { reply: life.replies.expect('reset_ack') };
        }),
      ),
    keepAlive: () =>
      outbox.add(async () => {
        await life.ready;
        await sendMessage({ type: 'keepalive' });
      }),
    close: async () => {
      // Before `ready`, queued audio cannot be sent. It is dropped, because the stream may wait long for `ready`.
      if (life.isReady) await outbox.idle();
      life.close();
      return life.closed;
    },
    [Symbol.asyncIterator]: () => life.events(),
  };
  return Object.freeze(conceal(stream, 'AsrStream {}'));
}
