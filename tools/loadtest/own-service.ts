import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LOAD_OPTIONS } from '../../loadtest/lib/options.ts';
import { say } from '../launch/terminal.mjs';
import { startAll } from '../start/run.ts';
import type { Teardown } from '../start/run.ts';
import type { Target } from './target.ts';

/** A service of the load test's own, with a state of its own. */
export interface OwnService extends Target {
  /** Folder in which its operator writes the worker processes down. */
  readonly workerRecords: string;
  /** Adds a model that is served by exactly one worker. */
  addModel: (name: string, worker: OwnWorker) => void;
}

export interface OwnWorker {
  /** 0: it measures them. */
  readonly slots: number;
  readonly provider: string;
}

/** The artifact that own models use, from the root of the repository. */
const ARTIFACT = 'worker/models/svc-asr-kikuyu-v1';

/** Starts the whole service on free ports; `own` hears early how it is stopped and removed again. */
export async function startOwnService(
  env: NodeJS.ProcessEnv,
  signal: AbortSignal,
  own: (stop: () => Promise<void>) => void,
): Promise<OwnService> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-asr-loadtest-'));
  let teardown: Teardown | undefined;
  own(async () => {
    await teardown?.stop();
    rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  });
  const { home, local } = await startAll(
    {
      env: ownEnvironment(env, folder),
      node: env.SVC_ASR_NODE ?? process.execPath,
      show: (level, text) => (level === 'info' ? undefined : say(text)),
      signal,
    },
    (stop) => (teardown = stop),
  );
  return {
    baseUrl: local.base_url,
    adminUrl: local.admin_url,
    adminToken: local.admin_token,
    caFile: local.ca_file,
    operatorUrl: local.operator_admin_url,
    workerRecords: home.workers,
    addModel: (name, worker) => writeFileSync(join(home.config, `${name}.yaml`), modelOf(name, worker)),
  };
}

/** Settings of services that would take their own state from the service. */
const SHARED_STATE = ['ADMIN_TOKEN_FILE', 'REDIS_URL', 'REDIS_URL_FILE'];

/** What the person set for the load test is not meant for the services, although some names are the same. */
export function ownEnvironment(env: NodeJS.ProcessEnv, home: string): NodeJS.ProcessEnv {
  const notOurs = Object.entries(env).filter(([name]) => !(name in LOAD_OPTIONS) && !SHARED_STATE.includes(name));
  return { ...Object.fromEntries(notOurs), SVC_ASR_HOME: home, PORT: '0', HOST: '127.0.0.1', CONSOLE_PORT: '0' };
}

function modelOf(name: string, { slots, provider }: OwnWorker): string {
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
  scaling:
    min: 1
    max: 1
    bufferSessions: 0
    bufferPercent: 0
`;
}
