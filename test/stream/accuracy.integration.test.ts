import { startEngine } from '@svc-asr/worker';
import type { Engine } from '@svc-asr/worker';
import { MODEL } from '../support/gateway.ts';
import { modelFolder, recordings } from '../support/recording.ts';
import { transcribeOffline } from './offline.ts';
import type { Transcript } from './offline.ts';
import { setStage, STAGE_TIMEOUT_MS } from './stage.ts';
import type { Stage } from './stage.ts';

const spoken = recordings(MODEL);
/**
 * Frame sizes in bytes. The smallest is 2.7 ms of audio, as browsers send it. The largest is the limit of the service.
 */
const FRAME_BYTES = [86, 640, 3200, 6400, 32_000, 65_536];

let stage: Stage;
let engine: Engine;
beforeAll(async () => {
  engine = await startEngine({ modelDir: modelFolder(MODEL), slots: spoken.length });
  stage = await setStage();
}, STAGE_TIMEOUT_MS);
afterAll(async () => {
  await engine.close();
  await stage.stop();
});

/** Returns the transcript that the service gives for a recording. */
async function online(pcm: Buffer, context: [number, number], frameBytes: number): Promise<Transcript> {
  const { stream } = await stage.ready();
  stream.send({ type: 'config', context });
  stream.audio(pcm, frameBytes);
  stream.send({ type: 'flush' });
  const { text, words } = await stream.next('final');
  stream.close();
  return { text, words };
}

test.each<[number, number]>([
  [56, 13],
  [56, 3],
  [56, 0],
])(
  'with the context [%i, %i] and frames of any size, the service returns the same transcripts as the engine alone',
  async (...context) => {
    expect(spoken.length).toBeGreaterThanOrEqual(FRAME_BYTES.length);
    const alone: Transcript[] = [];
    for (const { pcm } of spoken) alone.push(await transcribeOffline(engine, pcm, context));
    const served = await Promise.all(
      spoken.map(({ pcm }, at) => online(pcm, context, FRAME_BYTES[at % FRAME_BYTES.length]!)),
    );
    expect(served).toEqual(alone);
  },
  120_000,
);
