import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connectRedis, createLedger } from '@svc-asr/ledger';
import type { Ledger } from '@svc-asr/ledger';
import { readSettings } from '@svc-asr/runtime';
import { endAfterFile } from '../../../test/support/leftovers.ts';
import { startOperator } from '../operator.ts';
import { OPERATOR_SETTINGS } from '../settings.ts';
import { createTestLogger } from './logs.ts';
import type { LogLine } from './logs.ts';
import { yaml } from './resources.ts';

/** A running operator with its log lines and admin port. */
export interface TestOperator {
  lines: LogLine[];
  /** Reasons for which the operator lost leadership. A real operator would exit. */
  lost: string[];
  get: (path: string) => Promise<{ status: number; body: string }>;
  stop: () => Promise<void>;
}

/**
 * Starts an operator with short intervals. It reads the resource files in the folders and uses the Redis at `redisUrl`.
 */
export async function startTestOperator(
  folders: string[],
  redisUrl: string,
  env: NodeJS.ProcessEnv = {},
): Promise<TestOperator> {
  const { logger, lines } = createTestLogger();
  const settings = readSettings(OPERATOR_SETTINGS, {
    ADMIN_HOST: '127.0.0.1',
    ADMIN_PORT: '0',
    REDIS_URL: redisUrl,
    CONFIG_FOLDERS: folders.join(','),
    CONFIG_POLL_MS: '20',
    CONFIG_SETTLE_MS: '50',
    CONFIG_DELETE_GRACE_MS: '100',
    RETRY_MAX_MS: '500',
    SCALING_INTERVAL_MS: '50',
    ...env,
  });
  const lost: string[] = [];
  const { adminPort, stopSteps } = await startOperator(settings, logger, {
    env: { ...process.env, ...env },
    onLost: (reason) => lost.push(reason),
  });
  return {
    lines,
    lost,
    get: async (path) => {
      const response = await fetch(`http://127.0.0.1:${adminPort}${path}`);
      return { status: response.status, body: await response.text() };
    },
    stop: async () => {
      for (const { stop } of stopSteps) await stop();
    },
  };
}

/** A temporary folder of resource files. */
export interface TestFolder {
  path: string;
  /** Writes a file under another name, and then renames it. */
  write: (name: string, ...resources: object[]) => void;
  writeText: (name: string, text: string) => void;
  remove: (name: string) => void;
  cleanUp: () => void;
}

/** Creates a temporary folder. */
export function createTestFolder(): TestFolder {
  const root = mkdtempSync(join(tmpdir(), 'svc-asr-operator-'));
  const path = join(root, 'config');
  mkdirSync(path);
  const writeText = (name: string, text: string) => {
    writeFileSync(join(root, 'temporary'), text);
    renameSync(join(root, 'temporary'), join(path, name));
  };
  return {
    path,
    writeText,
    write: (name, ...resources) => writeText(name, yaml(...resources)),
    remove: (name) => rmSync(join(path, name)),
    cleanUp: () => rmSync(root, { recursive: true, force: true }),
  };
}

/** Connects the test to the ledger, so that it can check what the operator wrote. */
export function openLedger(redisUrl: string): { ledger: Ledger; close: () => Promise<void> } {
  const link = connectRedis({ url: redisUrl, name: 'test', timeoutMs: 5000 });
  endAfterFile(link.close);
  return { ledger: createLedger(link, { prefix: 'svc' }), close: link.close };
}
