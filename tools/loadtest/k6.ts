import { spawn } from 'node:child_process';
import { join } from 'node:path';
import type { ScenarioName } from '../../loadtest/lib/scenarios.ts';
import { ensureGoTools } from '../install/go-tools.ts';
import { root } from '../launch/terminal.mjs';

/** Exit codes of k6. */
export const K6_STATUS = { passed: 0, thresholds: 99, stopped: 105 } as const;

export interface K6Run {
  readonly ended: Promise<number>;
  /** Ends it; sessions that still run are cut off. */
  stop: () => void;
}

/** Where k6 lies; it is built when it is missing. */
export async function findK6(given: string): Promise<string> {
  return given === '' ? (await ensureGoTools(['k6'])).k6 : given;
}

/** Runs a scenario; records are written to a file, line by line. */
export function runK6(
  program: string,
  scenario: ScenarioName,
  files: { plan: string; records: string; ca: string },
): K6Run {
  const args = ['run', '--quiet', '--no-color', '--no-usage-report', '--summary-mode=disabled', '--address='];
  args.push('--log-format=raw', `--console-output=${files.records}`, join(root, 'loadtest', `${scenario}.ts`));
  const child = spawn(program, args, {
    // k6 has no option for an authority of one's own; the Go library that it is made with reads this variable.
    env: {
      ...process.env,
      // It has no use for the token that makes tenants.
      ADMIN_TOKEN: '',
      LOADTEST_PLAN: files.plan,
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
