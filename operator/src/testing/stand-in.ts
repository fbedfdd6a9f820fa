import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { programsFolder } from '../../../test/support/programs.ts';
import { identityOf } from '../workers/process/identity.ts';

const LEDGER = pathToFileURL(join(programsFolder(), 'packages/ledger/dist/index.js')).href;
/**
 * Lease of a stub worker. It is long, so that the worker renews it in time even on a busy machine. STAND_IN_LEASE_MS
 * sets another value.
 */
const LEASE_MS = 20_000;

/** Process data that a stub worker records when it starts. */
export interface StandInWorker {
  pid: number;
  args: string[];
  env: NodeJS.ProcessEnv;
}

/** A program that stands in for the worker. It registers in the real ledger, renews its lease and ends on SIGTERM. */
export interface StandIn {
  program: string;
  folder: string;
  /** Returns every worker that was ever started, by id. */
  started: () => Map<string, StandInWorker>;
  /** Returns the process ids of the running workers. */
  running: () => number[];
  /** Makes every worker that starts from now on fail at once with this message. Undefined lets workers start again. */
  failWith: (text: string | undefined) => void;
  /** Kills the running workers and removes all files. */
  cleanUp: () => void;
}

/** Source of the program. Intervals are short to keep tests fast. */
const SOURCE = `
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { connectRedis, createLedger } from ${JSON.stringify(LEDGER)};
const { STAND_IN: folder, MODEL: model, WORKER_ID: id, REVISION: revision } = process.env;
writeFileSync(folder + '/' + id + '.temporary', JSON.stringify({ pid: process.pid, args: process.argv.slice(1), env: process.env }));
(await import('node:fs')).renameSync(folder + '/' + id + '.temporary', folder + '/' + id + '.json');
if (existsSync(folder + '/fail')) {
  console.error(readFileSync(folder + '/fail', 'utf8'));
  process.exit(3);
}
const url = process.env.REDIS_URL_FILE ? readFileSync(process.env.REDIS_URL_FILE, 'utf8').trim() : process.env.REDIS_URL;
const link = connectRedis({ url, name: 'stand-in', timeoutMs: 5000 });
const ledger = createLedger(link, { prefix: process.env.REDIS_KEY_PREFIX, processLeaseMs: Number(process.env.STAND_IN_LEASE_MS ?? ${LEASE_MS}) });
const register = () => ledger.workers.register(model, {
  id, revision, address: 'ws://127.0.0.1:1', slots: Number(process.env.SLOTS) || 2,
});
let up = false;
const beat = async () => {
  if (!up || (await ledger.workers.renew(model, id)) === 'gone') await register();
  up = true;
};
setInterval(() => beat().catch(() => undefined), 100);
process.on('SIGTERM', async () => {
  if (process.env.STUBBORN) return;
  await ledger.workers.remove(model, id).catch(() => undefined);
  process.exit(0);
});
`;

/** Writes the program to a temporary folder. */
export function createStandIn(): StandIn {
  const folder = mkdtempSync(join(tmpdir(), 'svc-asr-stand-in-'));
  const program = join(folder, 'worker.mjs');
  const records = join(folder, 'records');
  mkdirSync(records);
  writeFileSync(program, SOURCE);
  const started = () =>
    new Map(
      readdirSync(records)
        .filter((name) => name.endsWith('.json'))
        .map((name) => [
          name.replace(/\.json$/, ''),
          JSON.parse(readFileSync(join(records, name), 'utf8')) as StandInWorker,
        ]),
    );
  const running = () => [...started().values()].map(({ pid }) => pid).filter((pid) => identityOf(pid) !== undefined);
  return {
    program,
    folder: records,
    started,
    running,
    failWith: (words) => {
      const file = join(records, 'fail');
      if (words !== undefined) writeFileSync(file, words);
      else if (existsSync(file)) rmSync(file);
    },
    cleanUp: () => {
      for (const pid of running()) process.kill(pid, 'SIGKILL');
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}
