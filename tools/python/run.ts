import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startService, stopServices } from '../../test/support/service.ts';
import { addUp, oneFrom, runStep } from '../checks/step.ts';
import type { Tally } from '../checks/step.ts';
import { ensurePythonEnvironment } from '../install/python.ts';
import type { PythonEnvironment } from '../install/python.ts';
import { REDIS } from '../install/programs.ts';
import { ensureInstalled } from '../install/system-package.ts';
import { logProgress, root } from '../launch/terminal.mjs';
import { checkImports } from '../models/check.ts';
import { PACKAGE_FOLDER, runPython, withInstalledWheel } from './package.ts';
import { checkPythonProse, findLongFiles } from './prose.ts';
import { setUpTraining, TRAINING_FOLDER } from './training.ts';

/** Credit of the test tenant, in seconds. */
const CREDIT_SECONDS = 7200;
/** Folders that ruff checks with the settings of the package. */
const RUFF = ['--config', 'pyproject.toml', '.', join(root, 'test/compat')];
/** Exit status of pytest if the arguments select no test. */
const NO_TESTS_SELECTED = 5;

/** Installs what the checks need. */
export async function setUpPython(): Promise<PythonEnvironment> {
  return ensurePythonEnvironment(join(PACKAGE_FOLDER, 'requirements.lock'));
}

/** Formats the sources of the Python package and of test/compat, and applies the fixes of the linter. */
export async function formatPython(environment: PythonEnvironment): Promise<number> {
  const fixed = await runPython(environment, ['-m', 'ruff', 'check', '--fix', ...RUFF]);
  return Math.max(fixed, await runPython(environment, ['-m', 'ruff', 'format', ...RUFF]));
}

/**
 * Checks the Python package and the training tools, and tests the wheel of the package against a running service.
 * `args` are passed to pytest.
 */
export async function checkPython(environment: PythonEnvironment, args: readonly string[]): Promise<Tally> {
  const step = (name: string, command: readonly string[]) =>
    runStep(`python ${name}`, async () => oneFrom(await runPython(environment, command)));
  const service = startTestService();
  // The service starts during the checks. Its failure is reported below.
  service.catch(() => undefined);
  try {
    return addUp([
      await step('lint', ['-m', 'ruff', 'check', ...RUFF]),
      await step('format', ['-m', 'ruff', 'format', '--check', ...RUFF]),
      await runStep('python prose', () => Promise.resolve(oneFrom(checkProse(environment)))),
      await step('types', ['-m', 'mypy']),
      await runStep('python unit tests', () => runPytest(environment, 'tests', args)),
      await runStep('training unit tests', async () => runPytest(await setUpTraining(), TRAINING_FOLDER, args)),
      ...(args.length > 0 ? [] : [await runStep('import of models', async () => oneFrom(await checkImports()))]),
      await runStep('python wheel', () =>
        withInstalledWheel(environment, async (python) => {
          Object.assign(process.env, await service, { SVC_ASR_TEST_PYTHON: python });
          return runPytest(environment, 'service_tests', args);
        }),
      ),
    ]);
  } finally {
    await service.catch(() => undefined);
    await stopServices();
  }
}

/** Runs the tests of a folder. It is not a failure if the arguments of the user select none of them. */
async function runPytest(environment: PythonEnvironment, folder: string, args: readonly string[]): Promise<Tally> {
  const status = await runPython(environment, ['-m', 'pytest', '--quiet', '--tb=short', folder, ...args]);
  return oneFrom(args.length > 0 && status === NO_TESTS_SELECTED ? 0 : status);
}

/** Prints the problems of prose and structure. Returns 1 if there is one. */
function checkProse(environment: PythonEnvironment): number {
  const long = findLongFiles().map((file) => `${file}: The file is too long. Split it.`);
  const problems = [...checkPythonProse(environment), ...long];
  for (const problem of problems) logProgress(problem);
  return problems.length === 0 ? 0 : 1;
}

/** Starts a service with a tenant. Returns the variables that the tests read. */
async function startTestService(): Promise<Record<string, string>> {
  await ensureInstalled(REDIS);
  const service = await startService();
  const { key } = await service.tenant({ seconds: CREDIT_SECONDS, limits: { concurrentSessions: 1 } });
  const caFile = join(service.home, 'test-ca.crt');
  writeFileSync(caFile, service.ca);
  return {
    SVC_ASR_BASE_URL: service.baseUrl,
    SVC_ASR_API_KEY: key,
    SVC_ASR_CA_FILE: caFile,
    SVC_ASR_TEST_SAMPLE: join(root, 'packages/api-docs/samples/stream.py'),
    SVC_ASR_TEST_RECORDINGS: join(root, 'worker/models/svc-asr-kikuyu-v1/eval'),
  };
}
