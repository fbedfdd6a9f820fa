import { chmodSync, mkdirSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { root } from '../launch/terminal.mjs';

/** The folders in which a local installation keeps its state. */
export interface Home {
  path: string;
  secrets: string;
  config: string;
  redis: string;
  logs: string;
  /** Which worker processes run. */
  workers: string;
  /** The id of the ledger, by which an emptied Redis is noticed. */
  ledgerId: string;
  certs: string;
  localJson: string;
}

/** Where everything lies: `SVC_ASR_HOME`, or `.svc-asr` in the repository. */
export function homeOf(env: NodeJS.ProcessEnv): Home {
  const chosen = env.SVC_ASR_HOME;
  const path = resolve(root, chosen === undefined || chosen === '' ? '.svc-asr' : chosen);
  const within = (name: string) => join(path, name);
  return {
    path,
    secrets: within('secrets'),
    config: within('config'),
    redis: within('redis'),
    logs: within('logs'),
    workers: within('workers'),
    ledgerId: within('ledger-id'),
    certs: within('certs'),
    localJson: within('local.json'),
  };
}

/** A shared folder such as /tmp: the sticky bit keeps people from each other's files there. */
const SHARED = 0o1000;

/** Makes the folders; what holds secrets or data is for its owner alone. */
export function makeHome(home: Home): void {
  mkdirSync(home.path, { recursive: true, mode: 0o700 });
  if ((statSync(home.path).mode & SHARED) === 0) chmodSync(home.path, 0o700);
  for (const folder of [home.config, home.certs]) mkdirSync(folder, { recursive: true });
  for (const folder of [home.secrets, home.redis, home.logs, home.workers]) {
    mkdirSync(folder, { recursive: true });
    chmodSync(folder, 0o700);
  }
}
