import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { startService, stopServices } from '../../test/support/service.ts';
import { runCommand } from '../checks/command.ts';
import { ensurePythonEnvironment } from '../install/python.ts';
import { logProgress, root } from '../launch/terminal.mjs';

const FOLDER = join(root, 'test/schemathesis');
/**
 * Credit of the tenant, in seconds. It is so high that the generated requests cannot use it up. Otherwise, responses
 * with 402 would hide other responses.
 */
const CREDIT_SECONDS = 10_000_000;
const CONCURRENT_SESSIONS = 10_000;
/** Options of a short run. Options of the user come later and replace them. */
const SHORT_RUN = ['--max-examples', '20', '--phases', 'examples,coverage,fuzzing'];

/** Runs schemathesis against a service of its own. Returns the exit status of schemathesis. */
export async function runSchemathesis(args: readonly string[]): Promise<number> {
  const { python } = await ensurePythonEnvironment(join(FOLDER, 'requirements.lock'), false);
  logProgress('starting the service');
  try {
    const service = await startService();
    const limits = { concurrentSessions: CONCURRENT_SESSIONS };
    const { key } = await service.tenant({ seconds: CREDIT_SECONDS, limits });
    const caFile = join(service.home, 'test-ca.crt');
    writeFileSync(caFile, service.ca);
    // schemathesis.toml refers to this variable, so that the key is not visible in the list of processes.
    process.env.SVC_ASR_API_KEY = key;
    const settings = ['--config-file', join(FOLDER, 'schemathesis.toml')];
    const run = ['run', `${service.baseUrl}/openapi.json`, '--tls-verify', caFile, ...SHORT_RUN, ...args];
    // Schemathesis writes its cache into the current folder.
    return await runCommand(join(dirname(python), 'schemathesis'), [...settings, ...run], logProgress, {
      cwd: service.home,
    });
  } finally {
    await stopServices();
  }
}
