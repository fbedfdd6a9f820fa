import type { Word } from '@svc-asr/core';
import type { Engine } from '@svc-asr/worker';

export interface Transcript {
  readonly text: string;
  readonly words: readonly Word[];
}

/** Transcribes a recording with the engine alone, without a service. */
export async function transcribeOffline(engine: Engine, pcm: Buffer, context: [number, number]): Promise<Transcript> {
  const stream = engine.open({ context });
  const final = new Promise<Transcript>((resolve, reject) => {
    stream.once('final', resolve);
    stream.once('error', reject);
  });
  for (let at = 0; at < pcm.length; at += 32_000) {
    if (!stream.write(pcm.subarray(at, at + 32_000)))
      await new Promise<void>((resolve) => stream.once('drain', resolve));
  }
  stream.flush();
  const { text, words } = await final;
  stream.close();
  return { text, words };
}
