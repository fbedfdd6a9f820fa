import { AUDIO } from '@svc-asr/core';
import type { LoadStream } from './client.ts';

/** Length of a frame. Real clients use from 2.7 ms (an audio worklet) to 100 ms. */
export const FRAME_MS = Number(process.env.RELAY_FRAME_MS ?? 100);
const FRAME = Buffer.alloc(Math.round((AUDIO.sampleRateHz / 1000) * FRAME_MS) * AUDIO.bytesPerSample);
const TICK_MS = 1;
const LAST_DELTAS_MS = 5000;

export interface Speech {
  /** Time after which every stream is sending. */
  readonly allSpeakAfterMs: number;
  /** Stops sending and waits for the outstanding deltas. Rejects if one does not arrive. */
  end: () => Promise<number[]>;
}

/**
 * Sends frames on every stream in real time. The streams start at different times within one chunk, so that their
 * chunks are complete at different times.
 */
export function speak(streams: readonly LoadStream[]): Speech {
  const chunkMs = ((streams[0]?.chunk ?? 0) / AUDIO.sampleRateHz) * 1000;
  const startedAtMs = performance.now();
  const speakers = streams.map((stream, i) => ({ stream, dueAtMs: startedAtMs + (i / streams.length) * chunkMs }));
  // One timer for all streams, with absolute times. Hundreds of timers would drift and burst.
  const timer = setInterval(() => {
    const now = performance.now();
    for (const speaker of speakers) {
      for (; speaker.dueAtMs <= now; speaker.dueAtMs += FRAME_MS) speaker.stream.send(FRAME);
    }
  }, TICK_MS);
  return {
    allSpeakAfterMs: chunkMs,
    end: async () => {
      clearInterval(timer);
      const deadline = Date.now() + LAST_DELTAS_MS;
      while (streams.some(({ unanswered }) => unanswered > 0)) {
        const missing = streams.reduce((sum, { unanswered }) => sum + unanswered, 0);
        if (Date.now() > deadline) throw new Error(`${missing} deltas did not arrive`);
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
      return streams.flatMap(({ latenciesMs }) => latenciesMs);
    },
  };
}
