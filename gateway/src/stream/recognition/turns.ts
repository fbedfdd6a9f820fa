import { FRAME_HEADER_BYTES, RELAY_LIMITS } from '@svc-asr/core';
import type { OutgoingFrame, OutgoingStream } from './outgoing-stream.ts';

/** A stream with frames to send. */
export interface Sender {
  readonly outgoing: OutgoingStream;
  /** Sends a frame of the stream. */
  sendFrame: (frame: OutgoingFrame) => void;
}

/**
 * Decides which stream of a connection sends next. In its turn, a stream sends at most `maxTurnBytes` of audio. Then
 * the next stream has its turn. Replays are sent only if no stream has live audio to send.
 */
export class Turns {
  // A Set keeps the order of insertion, and contains each stream only once.
  readonly #live = new Set<Sender>();
  readonly #replaying = new Set<Sender>();

  /** True if no stream is waiting for a turn. */
  get isEmpty(): boolean {
    return this.#live.size === 0 && this.#replaying.size === 0;
  }

  /** Adds a stream to the turns if it has a frame that may be sent. */
  add(sender: Sender): void {
    const { outgoing } = sender;
    if (!outgoing.isReady) return;
    (outgoing.isReplay ? this.#replaying : this.#live).add(sender);
  }

  remove(sender: Sender): void {
    this.#live.delete(sender);
    this.#replaying.delete(sender);
  }

  /** Sends frames until the number of unsent bytes reaches a limit. Live audio and replays have different limits. */
  run(unsentBytes: number, limits: { live: number; replay: number }): void {
    let unsent = unsentBytes;
    for (;;) {
      const queue = this.#live.size > 0 ? this.#live : this.#replaying;
      const [sender] = queue;
      if (sender === undefined || unsent >= (queue === this.#live ? limits.live : limits.replay)) return;
      queue.delete(sender);
      unsent += this.#takeTurn(sender);
      this.add(sender);
    }
  }

  /** Sends frames of one stream. Returns the number of bytes that were sent. */
  #takeTurn(sender: Sender): number {
    let audioBytes = 0;
    let headerBytes = 0;
    for (;;) {
      const frame = sender.outgoing.take(RELAY_LIMITS.maxTurnBytes - audioBytes);
      if (frame === undefined) return audioBytes + headerBytes;
      sender.sendFrame(frame);
      headerBytes += FRAME_HEADER_BYTES;
      if (frame.kind === 'audio') audioBytes += frame.pcm.length;
    }
  }
}
