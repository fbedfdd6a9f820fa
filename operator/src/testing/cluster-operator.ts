import { spawn } from 'node:child_process';
import { COMPILE_CACHE } from '../../../test/support/compile-cache.ts';
import { killAfterFile } from '../../../test/support/leftovers.ts';
import { programFile } from '../../../test/support/programs.ts';
import type { LogLine } from './logs.ts';

/**
 * Lease of an operator in a test cluster. It is long, because requests can take seconds while other tests run. With a
 * short lease, such requests time out, and the operator pauses its writes. An operator that stops releases its lease.
 */
export const LONG_LEASE = { LEASE_SECONDS: '60', LEASE_RENEW_MS: '50000' };

/** Returns the settings of an operator in a test cluster, with short intervals and delays. */
export function clusterSettings(kubeconfig: string, namespace: string, redisUrl: string): Record<string, string> {
  return {
    KUBERNETES: kubeconfig,
    NAMESPACE: namespace,
    REDIS_URL: redisUrl,
    ADMIN_HOST: '127.0.0.1',
    ADMIN_PORT: '0',
    RETRY_MAX_MS: '500',
    SCALING_INTERVAL_MS: '100',
    KUBERNETES_RETRY_MAX_MS: '1000',
    WATCH_MIN_INTERVAL_MS: '200',
    WORKER_IMAGE: 'example.invalid/worker:1',
    ...LONG_LEASE,
  };
}

/** An operator as a separate process, which can be killed and suspended. */
export interface OperatorProcess {
  pid: number;
  lines: LogLine[];
  /** Resolves to the exit status or signal. */
  ended: Promise<number | string>;
  kill: (signal: NodeJS.Signals) => void;
}

export function spawnOperator(settings: Record<string, string>): OperatorProcess {
  const { PATH = '', HOME = '' } = process.env;
  const child = spawn(process.execPath, [programFile('operator')], {
    env: { ...COMPILE_CACHE, PATH, HOME, LOG_LEVEL: 'debug', ...settings },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  killAfterFile(child);
  const lines: LogLine[] = [];
  let rest = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    const parts = (rest + text).split('\n');
    rest = parts.pop() ?? '';
    for (const part of parts) if (part.startsWith('{')) lines.push(JSON.parse(part) as LogLine);
  });
  return {
    pid: child.pid ?? 0,
    lines,
    ended: new Promise((resolve) => child.on('close', (code, signal) => resolve(code ?? signal ?? ''))),
    kill: (signal) => void child.kill(signal),
  };
}
