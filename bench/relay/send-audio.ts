import { AUDIO } from '@svc-asr/core';
import type { LoadStream } from './client.ts';

/** Length of a frame. Real clients send frames of 2.7 ms (an audio worklet) to 100 ms. */
export const FRAME_MS = Number(process.env.RELAY_FRAME_MS ?? 100);
const FRAME = Buffer.alloc(Math.round((AUDIO.sampleRateHz / 1000) * FRAME_MS) * AUDIO.bytesPerSample);
const TICK_MS = 1;
/** Longest time without any delta after the last frame. A busy machine may need many seconds. */
const LONGEST_PAUSE_MS = 30_000;

export interface AudioSending {
  /** Time from the call of `startSending` until all streams send audio. */
  readonly allSendingAfterMs: number;
  /**
   * Stops sending and waits for the outstanding deltas. Resolves to the latencies. Rejects if deltas do not arrive, or
   * if a stream has ended.
   */
  end: () => Promise<number[]>;
}

/**
 * Sends frames on every stream in real time. The streams start at different times within one chunk, so that their
 * chunks are complete at different times.
 */
export function startSending(streams: readonly LoadStream[]): AudioSending {
  const chunkMs = ((streams[0]?.chunk ?? 0) / AUDIO.sampleRateHz) * 1000;
  const startedAtMs = performance.now();
  const senders = streams.map((stream, i) => ({ stream, dueAtMs: startedAtMs + (i / streams.length) * chunkMs }));
  // One timer serves all streams, and sends every frame whose time has come. Hundreds of timers would drift, and frames
  // would be sent in bursts.
  const timer = setInterval(() => {
    const now = performance.now();
    for (const sender of senders) {
      for (; sender.dueAtMs <= now; sender.dueAtMs += FRAME_MS) sender.stream.send(FRAME);
    }
  }, TICK_MS);
  return {
    allSendingAfterMs: chunkMs,
    end: async () => {
      clearInterval(timer);
      await receiveRest(streams);
      return streams.flatMap(({ latenciesMs }) => latenciesMs);
    },
  };
}

async function receiveRest(streams: readonly LoadStream[]): Promise<void> {
  let fewest = Infinity;
  let progressAtMs = Date.now();
  for (;;) {
    const failure = streams.find((stream) => stream.failure !== undefined)?.failure;
    if (failure !== undefined) throw new Error(`a stream has ended during the round: ${failure}`);
    const missing = streams.reduce((sum, { unanswered }) => sum + unanswered, 0);
    if (missing === 0) return;
    if (missing < fewest) [fewest, progressAtMs] = [missing, Date.now()];
    if (Date.now() - progressAtMs > LONGEST_PAUSE_MS) throw new Error(`${missing} deltas did not arrive`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
