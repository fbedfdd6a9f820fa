import { spawn } from 'node:child_process';
import { join } from 'node:path';
import type { ScenarioName } from '../lib/scenarios.ts';
import { ensureGoTools } from '../../tools/install/go-tools.ts';
import { root } from '../../tools/launch/terminal.mjs';

/** Exit codes of k6. */
export const K6_STATUS = { passed: 0, thresholds: 99, stopped: 105 } as const;

export interface K6Run {
  readonly ended: Promise<number>;
  /** Ends k6. Running sessions are cut off. */
  stop: () => void;
}

/** Returns the path of k6, which is built if it is missing. */
export async function findK6(path: string): Promise<string> {
  return path === '' ? (await ensureGoTools(['k6'])).k6 : path;
}

/** Runs a scenario. k6 writes records to a file, one per line, and its report as a self-contained page. */
export function runK6(
  program: string,
  scenario: ScenarioName,
  files: { plan: string; records: string; report: string; ca: string },
): K6Run {
  const args = ['run', '--quiet', '--no-color', '--no-usage-report', '--summary-mode=disabled', '--address='];
  args.push('--log-format=raw', `--console-output=${files.records}`, join(root, 'loadtest', `${scenario}.ts`));
  const child = spawn(program, args, {
    // k6 has no option for a CA. The Go library that it uses reads SSL_CERT_FILE.
    env: {
      ...process.env,
      // k6 does not need the token that creates tenants.
      ADMIN_TOKEN: '',
      LOADTEST_PLAN: files.plan,
      K6_WEB_DASHBOARD: 'true',
      // k6 writes the report but opens no port for a live view.
      K6_WEB_DASHBOARD_PORT: '-1',
      K6_WEB_DASHBOARD_PERIOD: '2s',
      K6_WEB_DASHBOARD_TAGS: 'context',
      K6_WEB_DASHBOARD_EXPORT: files.report,
      XK6_DASHBOARD_CONFIG: join(root, 'loadtest', 'dashboard.json'),
      ...(files.ca !== '' && { SSL_CERT_FILE: files.ca }),
    },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  return {
    ended: new Promise((resolve, reject) => {
      child.on('error', reject);
      child.on('exit', (code) => resolve(code ?? 1));
    }),
    stop: () => child.kill('SIGINT'),
  };
}
