import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LOAD_OPTIONS } from '../lib/options.ts';
import { logProgress } from '../../tools/launch/terminal.mjs';
import { startAll } from '../../tools/start/run.ts';
import type { Teardown } from '../../tools/start/run.ts';
import { targetOf } from './target.ts';
import type { Target } from './target.ts';

/** A service that was started for one load test and has its own state. */
export interface TemporaryService extends Target {
  /** Folder in which the operator records its worker processes. */
  readonly workerRecords: string;
  readonly redisUrl: string;
  /** Adds a model that exactly one worker serves. */
  addModel: (name: string, provider: string, slots: number) => void;
}

/** Value of `slots` with which a worker measures its slots itself. */
export const MEASURED_SLOTS = 0;

/**
 * Environment of a worker with a fixed number of slots. It makes the worker always offer all slots, even if the worker
 * becomes too slow for them. A ramp can then exceed the load that the worker can serve.
 */
const ALL_SLOTS = `    env:
      - { name: LEAST_SLOTS_PERCENT, value: '100' }
`;

/** Artifact of the added models, relative to the repository root. */
const ARTIFACT = 'worker/models/svc-asr-kikuyu-v1';

/** Starts the whole service on free ports. Passes its cleanup steps to `addCleanup` before any process is started. */
export async function startTemporaryService(
  env: NodeJS.ProcessEnv,
  signal: AbortSignal,
  addCleanup: (stop: () => Promise<void>) => void,
): Promise<TemporaryService> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-asr-loadtest-'));
  let teardown: Teardown | undefined;
  addCleanup(async () => {
    await teardown?.stop();
    rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  });
  const { home, local } = await startAll(
    {
      env: buildServiceEnvironment(env, folder),
      node: env.SVC_ASR_NODE ?? process.execPath,
      show: (level, text) => (level === 'info' ? undefined : logProgress(text)),
      signal,
    },
    (stop) => (teardown = stop),
  );
  return {
    ...targetOf(local),
    workerRecords: home.workers,
    redisUrl: local.redis_url,
    addModel: (name, provider, slots) => {
      writeFileSync(join(home.config, `${name}.yaml`), modelOf(name, provider, slots));
    },
  };
}

/** Settings that would make the temporary service use the state of another service. */
const SHARED_STATE = ['ADMIN_TOKEN_FILE', 'REDIS_URL', 'REDIS_URL_FILE'];

/**
 * Returns the environment of the services. Options of the load test are removed, because some of them share a name with
 * a setting.
 */
export function buildServiceEnvironment(env: NodeJS.ProcessEnv, home: string): NodeJS.ProcessEnv {
  const inherited = Object.entries(env).filter(([name]) => !(name in LOAD_OPTIONS) && !SHARED_STATE.includes(name));
  return { ...Object.fromEntries(inherited), SVC_ASR_HOME: home, PORT: '0', HOST: '127.0.0.1', CONSOLE_PORT: '0' };
}

function modelOf(name: string, provider: string, slots: number): string {
  return `apiVersion: asr.svc.dev/v1
kind: ASRModel
metadata:
  name: ${name}
spec:
  language: Kikuyu
  languageCode: ki
  artifact:
    path: ${ARTIFACT}
  worker:
    provider: ${JSON.stringify(provider)}
    slots: ${slots}
${slots === MEASURED_SLOTS ? '' : ALL_SLOTS}  scaling:
    min: 1
    max: 1
    bufferSessions: 0
    bufferPercent: 0
`;
}
