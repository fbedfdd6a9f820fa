import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../tools/start/ports.ts';
import { eventually } from '../support/eventually.ts';
import { recording } from '../support/recording.ts';
import { wordErrorRate } from '../support/word-errors.ts';
import { readSetting } from './environment.ts';
import { NAMESPACE, openHarness, SOON_MS } from './harness.ts';
import type { Harness } from './harness.ts';
import { adaptCommands, readmeCommands } from './readme.ts';
import { readPullPolicy, RELEASE } from './release.ts';
import { MAX_WORD_ERRORS_PERCENT } from './streams.ts';

const ROOT = join(import.meta.dirname, '../..');
const TIMEOUT_MS = 500_000;
/**
 * Working folder of the commands. It has links to the files of the repository, and the commands write their own files
 * here.
 */
const folder = mkdtempSync(join(tmpdir(), 'svc-asr-e2e-'));
let harness: Harness;

beforeAll(async () => {
  for (const name of ['charts', 'node_modules', 'package.json', 'worker'])
    symlinkSync(join(ROOT, name), join(folder, name));
  harness = await openHarness();
});
afterAll(() => rmSync(folder, { recursive: true }));

test(
  "README's commands install the service and print a transcript",
  async () => {
    const replacements = {
      registry: readSetting('E2E_REGISTRY'),
      pullPolicy: readPullPolicy(),
      port: await freePort('127.0.0.1'),
    };
    const commands = adaptCommands(readmeCommands().install, replacements);
    const output = await harness.tools.shell(`trap 'kill $(jobs -p)' EXIT\ncd '${folder}'\n${commands}`, {
      timeoutMs: TIMEOUT_MS,
    });
    const transcript = output.trimEnd().split('\n').at(-1) ?? '';
    expect(wordErrorRate([recording('ki_espeak_009').text], [transcript])).toBeLessThan(MAX_WORD_ERRORS_PERCENT);
  },
  TIMEOUT_MS,
);

test(
  'the cluster has no CRD, cluster role or bound volume after resources, release, namespace and CRDs were deleted',
  async () => {
    await harness.kubectl(['delete', 'asrmodels,tenants,apikeys,members', '--all', '--timeout=180s'], {
      timeoutMs: 190_000,
    });
    await harness.tools.helm(['uninstall', RELEASE, '-n', NAMESPACE, '--wait', '--timeout', '4m'], {
      timeoutMs: 260_000,
    });
    const crds = ['asrmodels', 'tenants', 'apikeys', 'members'].map((kind) => `${kind}.asr.svc.dev`);
    await Promise.all([
      harness.tools.kubectl(['delete', 'namespace', NAMESPACE, '--timeout=110s']),
      harness.tools.kubectl(['delete', 'crd', ...crds, '--timeout=110s']),
    ]);
    const left = await harness.tools.kubectl(['get', 'crd,clusterroles,clusterrolebindings', '-o', 'name']);
    expect(left).not.toMatch(/svc-asr|asr\.svc\.dev/);
    const boundClaims = ['-o', 'jsonpath={.items[?(@.status.phase=="Bound")].spec.claimRef.namespace}'];
    await eventually('no volume is bound to the deleted claim', SOON_MS, async () => {
      return !(await harness.tools.kubectl(['get', 'pv', ...boundClaims])).split(' ').includes(NAMESPACE);
    });
  },
  TIMEOUT_MS,
);
