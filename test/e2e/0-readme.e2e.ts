import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findFreePort } from '../../tools/cluster/free-port.ts';
import { eventually } from '../support/eventually.ts';
import { recording } from '../support/recording.ts';
import { wordErrorRate } from '../support/word-errors.ts';
import { fitCommands, readmeCommands } from './readme.ts';
import { buildValues, RELEASE } from './release.ts';
import { NAMESPACE, openStage, SOON_MS } from './stage.ts';
import type { Stage } from './stage.ts';

const ROOT = join(import.meta.dirname, '../..');
const WITHIN_MS = 500_000;
/** Looks like the repository to whoever stands in it, and takes the files that are written there. */
const folder = mkdtempSync(join(tmpdir(), 'svc-asr-e2e-'));
let stage: Stage;

beforeAll(async () => {
  for (const name of ['charts', 'node_modules', 'package.json', 'worker'])
    symlinkSync(join(ROOT, name), join(folder, name));
  stage = await openStage();
});
afterAll(() => {
  stage.close();
  rmSync(folder, { recursive: true });
});

test(
  'the commands of README lead from nothing to a transcript',
  async () => {
    const { image, redis } = buildValues(0, '');
    const port = await findFreePort();
    const commands = fitCommands(readmeCommands(), { registry: image.registry, redisImage: redis.image, port });
    const told = await stage.cluster.shell(`trap 'kill $(jobs -p)' EXIT\ncd '${folder}'\n${commands}`, {
      timeoutMs: WITHIN_MS,
    });
    const heard = told.trimEnd().split('\n').at(-1) ?? '';
    expect(wordErrorRate([recording('ki_espeak_009').text], [heard])).toBeLessThan(60);
  },
  WITHIN_MS,
);

test(
  'all of it can be removed, with what the docs name',
  async () => {
    await stage.kubectl(['delete', 'asrmodels,tenants,apikeys', '--all', '--timeout=180s']);
    await stage.cluster.helm(['uninstall', RELEASE, '-n', NAMESPACE, '--wait', '--timeout', '4m'], {
      timeoutMs: 260_000,
    });
    await stage.cluster.kubectl(['delete', 'namespace', NAMESPACE, '--timeout=110s']);
    const crds = ['asrmodels', 'tenants', 'apikeys'].map((kind) => `${kind}.asr.svc.dev`);
    await stage.cluster.kubectl(['delete', 'crd', ...crds, '--timeout=110s']);
    const left = await stage.cluster.kubectl(['get', 'crd,clusterroles,clusterrolebindings', '-o', 'name']);
    expect(left).not.toMatch(/svc-asr|asr\.svc\.dev/);
    await eventually('the volume of Redis goes with its claim', SOON_MS, async () => {
      return (await stage.cluster.kubectl(['get', 'pv', '-o', 'name'])) === '';
    });
  },
  WITHIN_MS,
);
