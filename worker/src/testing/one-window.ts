import type { StreamEvent } from '../engine/protocol.ts';
import { samplesFor } from '../features/framing.ts';
import { readWav } from './data.ts';
import { openPipeline } from './pipeline.ts';

export interface OneWindow {
  readonly events: StreamEvent[];
  /** Samples released by the slot. */
  readonly consumed: number;
}

/**
 * Runs the first window of a recording. `openChecks` holds the results of the successive checks whether the stream is
 * open. Later checks return false.
 */
export async function runOneWindow(folder: string, wav: string, openChecks: boolean[]): Promise<OneWindow> {
  const { encoder, runner, ring, lane } = await openPipeline(folder);
  const { framing } = encoder.shape;
  ring.write(readWav(wav).subarray(0, samplesFor(framing, 1)));
  const events = await runner.run([{ lane, length: framing.window }], () => openChecks.shift() ?? false);
  return { events, consumed: ring.consumed };
}
