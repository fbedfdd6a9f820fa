import type { AsrSession, ConfigAckMessage, FinalMessage, ReadyMessage, ResetAckMessage } from '@svc-asr/core';
import { AUDIO } from '@svc-asr/core/stream';
import { conceal } from '../conceal.ts';
import { pause } from '../retry.ts';
import type { StreamEnd } from './advice.ts';
import { tolerated } from './deferred.ts';
import type { StreamEvent } from './event.ts';
import { bytesOf, createFramer } from './frames.ts';
import type { PcmAudio } from './frames.ts';
import { createLifecycle } from './lifecycle.ts';
import type { StreamConfig, StreamOptions } from './options.ts';
import { createOutbox } from './outbox.ts';

/**
 * A stream of a session. Iterating over it gives its events, each to one reader; leaving the loop does not close it.
 * What it is asked for is sent in order. Promises that nobody awaits never fail aloud: `closed` tells how it ended.
 */
export interface AsrStream extends AsyncIterable<StreamEvent> {
  /** Settles when audio may be sent. `send` waits for it by itself. */
  readonly ready: Promise<ReadyMessage>;
  /** How the stream ended and what to do next. Never fails. */
  readonly closed: Promise<StreamEnd>;
  /** Sends audio: 16,000 Hz, one channel, 16 bit. Settles when there is room for more. */
  send: (pcm: PcmAudio) => Promise<void>;
  /** Chooses language and context of the utterance, before its first audio. */
  config: (config?: StreamConfig) => Promise<ConfigAckMessage>;
  /** Finalizes the utterance; gives its final transcript. */
  flush: () => Promise<FinalMessage>;
  /** Drops the utterance and starts a fresh one. */
  reset: () => Promise<ResetAckMessage>;
  /** Ends the session after everything that was sent. Audio that was not flushed gets no final. */
  close: () => Promise<StreamEnd>;
}

/** Streams a session that a server made. Needs no API key: this is what browsers and apps use. */
export function openStream(session: AsrSession, options: StreamOptions = {}): AsrStream {
  return startStream(() => Promise.resolve(session), options);
}

/** Makes a session, then streams it. */
export function startStream(makeSession: () => Promise<AsrSession>, options: StreamOptions): AsrStream {
  const { maxBufferedBytes = 262_144 } = options;
  const life = createLifecycle(makeSession, options);
  const outbox = createOutbox();
  const framer = createFramer();

  /** Resolves when little enough is on its way. There is no event for it in a WebSocket, so it looks again. */
  async function room(): Promise<void> {
    for (let waitMs = 2; life.connection().bufferedBytes() > maxBufferedBytes; waitMs = Math.min(waitMs * 2, 50)) {
      await pause(waitMs, options.signal);
    }
  }

  /** Sends a message in its turn; gives its answer, for which the next message does not wait. */
  async function ask<T>(turn: () => Promise<{ answer: Promise<T> }>): Promise<T> {
    const { answer } = await outbox.add(turn);
    return answer;
  }
  const say = (message: object) => life.connection().send(JSON.stringify(message));

  const stream: AsrStream = {
    ready: life.ready,
    closed: life.closed,
    send: (pcm) => {
      const bytes = bytesOf(pcm);
      return outbox.add(async () => {
        const { max_frame_bytes: most } = await life.ready;
        for (const frame of framer.cut(bytes, Math.min(most, AUDIO.maxFrameBytes))) {
          await room();
          life.connection().send(frame);
        }
        await room();
      });
    },
    config: (config = {}) =>
      tolerated(
        ask(async () => {
          await life.opened;
          say({ type: 'config', ...config });
          return { answer: life.answers.expect('config_ack') };
        }),
      ),
    flush: () =>
      tolerated(
        ask(async () => {
          await life.ready;
          framer.drop();
          say({ type: 'flush' });
          return { answer: life.answers.expect('final') };
        }),
      ),
    reset: () =>
      tolerated(
        ask(async () => {
          await life.ready;
          framer.drop();
          say({ type: 'reset' });
          return { answer: life.answers.expect('reset_ack') };
        }),
      ),
    close: async () => {
      // Before `ready` nothing was sent that is worth waiting for.
      if (life.isReady()) await outbox.idle();
      life.close();
      return life.closed;
    },
    [Symbol.asyncIterator]: life.events,
  };
  return Object.freeze(conceal(stream, 'AsrStream {}'));
}
