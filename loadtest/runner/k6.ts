import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { ensureGoTools } from '../../tools/install/go-tools.ts';
import { root } from '../../tools/launch/terminal.mjs';

/** Exit codes of k6 after a complete run. */
const COMPLETE = { passed: 0, crossedThresholds: 99 } as const;

export interface K6Run {
  /** Name of a script in the folder loadtest. */
  readonly script: string;
  readonly planFile: string;
  /** File for the report page. If empty, k6 writes none. */
  readonly reportFile: string;
  /** PEM file of a CA. If empty, the CAs of the system are used. */
  readonly caFile: string;
  /** Host and port of k6's REST API. If empty, the API is disabled. */
  readonly address: string;
  /**
   * True if k6 gets a process session of its own (setsid), so that Linux can schedule it separately from the runner.
   * False by default.
   */
  readonly ownSession?: boolean;
  /** Called when k6 has started. */
  readonly onStart?: (pid: number) => void;
}

/** Returns the path of k6. If `path` is empty, builds k6 unless it was built before. */
export async function findK6(path: string): Promise<string> {
  return path === '' ? (await ensureGoTools(['k6'])).k6 : path;
}

/** Runs a scenario to its end. If the signal aborts, k6 ends early and interrupts running sessions. */
export async function runK6(program: string, run: K6Run, signal: AbortSignal): Promise<void> {
  const flags = ['--quiet', '--no-color', '--no-usage-report', '--log-format=raw', `--address=${run.address}`];
  const child = spawn(program, ['run', ...flags, join(root, 'loadtest', `${run.script}.ts`)], {
    env: {
      ...process.env,
      // The admin token is not passed on, because k6 does not need it.
      ADMIN_TOKEN: '',
      LOADTEST_PLAN: run.planFile,
      K6_WEB_DASHBOARD: String(run.reportFile !== ''),
      // With this value, k6 writes the report but does not open a port for a live view.
      K6_WEB_DASHBOARD_PORT: '-1',
      K6_WEB_DASHBOARD_PERIOD: '2s',
      K6_WEB_DASHBOARD_TAGS: 'context,code',
      K6_WEB_DASHBOARD_EXPORT: run.reportFile,
      XK6_DASHBOARD_CONFIG: join(root, 'loadtest', 'dashboard.json'),
      // k6 has no option for a CA. The Go library that it uses reads SSL_CERT_FILE.
      ...(run.caFile !== '' && { SSL_CERT_FILE: run.caFile }),
    },
    stdio: ['ignore', 'inherit', 'inherit'],
    detached: run.ownSession === true,
  });
  if (child.pid !== undefined) run.onStart?.(child.pid);
  const stop = () => child.kill('SIGINT');
  signal.addEventListener('abort', stop);
  const status = await new Promise<number | null>((resolve, reject) => {
    child.on('error', reject);
    child.on('exit', resolve);
  });
  signal.removeEventListener('abort', stop);
  signal.throwIfAborted();
  const complete: (number | null)[] = Object.values(COMPLETE);
  if (!complete.includes(status)) throw new Error(`k6 ended with status ${status ?? 'none'}. Its messages are above.`);
}
