import type { StreamEvent } from '../engine/protocol.ts';
import { samplesFor } from '../features/framing.ts';
import { readWav } from './data.ts';
import { openPipeline } from './pipeline.ts';

export interface OneWindow {
  readonly events: StreamEvent[];
  /** Samples that the slot gave back. */
  readonly consumed: number;
}

/** Runs the first window of a recording; `looks` says, look by look, whether its stream is still open. */
export async function runOneWindow(folder: string, wav: string, looks: boolean[]): Promise<OneWindow> {
  const { encoder, runner, ring, lane } = await openPipeline(folder);
  const { framing } = encoder.shape;
  ring.write(readWav(wav).subarray(0, samplesFor(framing, 1)));
  const events = await runner.run([{ lane, length: framing.window }], () => looks.shift() ?? false);
  return { events, consumed: ring.consumed };
}
