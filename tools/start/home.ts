import { chmodSync, mkdirSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { root } from '../launch/terminal.mjs';

/** Folders and files of a local installation. */
export interface Home {
  path: string;
  secrets: string;
  config: string;
  redis: string;
  logs: string;
  /** Folder with the state of the running worker processes. */
  workers: string;
  /** File with the id of the ledger, which is used to detect an emptied Redis. */
  ledgerId: string;
  certs: string;
  localJson: string;
}

/** Returns the paths of an installation, in `SVC_ASR_HOME` or in `.svc-asr` in the repository. */
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

/** Sticky bit, which marks a folder as shared between users, such as /tmp. */
const SHARED = 0o1000;

/** Creates the folders. Folders with secrets or data are accessible only by their owner. */
export function createHome(home: Home): void {
  mkdirSync(home.path, { recursive: true, mode: 0o700 });
  if ((statSync(home.path).mode & SHARED) === 0) chmodSync(home.path, 0o700);
  for (const folder of [home.config, home.certs]) mkdirSync(folder, { recursive: true });
  for (const folder of [home.secrets, home.redis, home.logs, home.workers]) {
    mkdirSync(folder, { recursive: true });
    chmodSync(folder, 0o700);
  }
}
