// A thread that generates load for an engine. Each message starts a run, and the answer contains its result.
import { parentPort, workerData } from 'node:worker_threads';
import { EngineClient } from '@svc-asr/worker';
import type { Context, RemoteAccess } from '@svc-asr/worker';
import type { Control } from './controls.ts';
import { runCrowd } from './crowd.ts';
import type { CrowdOptions } from './crowd.ts';

export interface CrowdThreadOptions {
  readonly access: RemoteAccess;
  readonly context: Context;
  readonly controls: readonly Control[];
  readonly speech: Int16Array;
}

export type CrowdRun = Pick<CrowdOptions, 'streams' | 'seconds' | 'warmSeconds' | 'inPhase' | 'startAtMs'>;

const { access, context, controls, speech } = workerData as CrowdThreadOptions;
const engine = EngineClient.connect(access);
parentPort?.on('message', (run: CrowdRun) => {
  void runCrowd({ ...run, engine, context, controls, speech }).then((result) => parentPort?.postMessage(result));
});
