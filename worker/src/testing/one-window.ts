import type { StreamEvent } from '../engine/protocol.ts';
import { samplesFor } from '../features/framing.ts';
import { readWav } from './data.ts';
import { openPipeline } from './pipeline.ts';

export interface OneWindow {
  readonly events: StreamEvent[];
  /** Number of samples that the stream has consumed. */
  readonly consumed: number;
}

/**
 * Runs the first window of a recording. `openChecks` contains the results for the first calls of `isOpen`. All later
 * calls of `isOpen` return false.
 */
export async function runOneWindow(folder: string, wav: string, openChecks: boolean[]): Promise<OneWindow> {
  const { encoder, runner, ring, lane } = await openPipeline(folder);
  const { framing } = encoder.shape;
  ring.write(readWav(wav).subarray(0, samplesFor(framing, 1)));
  const events = await runner.run([{ lane, length: framing.window }], () => openChecks.shift() ?? false);
  return { events, consumed: ring.consumed };
}
