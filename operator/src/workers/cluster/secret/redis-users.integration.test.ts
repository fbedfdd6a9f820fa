import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { connectRedis, createLedger, withFunctions } from '@svc-asr/ledger';
import type { RedisLink } from '@svc-asr/ledger';
import { connected } from '../../../../../test/support/connected.ts';
import { KUBERNETES_TIMEOUT_MS } from '../../../../../test/support/kubernetes.ts';
import type { Kubernetes } from '../../../../../test/support/kubernetes.ts';
import { temporaryFolder } from '../../../../../test/support/temporary-folder.ts';
import { createStage, startCluster } from '../../../testing/cluster-stage.ts';
import type { Stage } from '../../../testing/cluster-stage.ts';
import { eventually } from '../../../testing/eventually.ts';
import { model } from '../../../testing/resources.ts';
import { LABELS } from '../names.ts';
import { readSecret } from './model-secret.ts';

const LONG_MS = 60_000;
const WORKER = { id: 'w', address: 'wss://attacker', revision: 'r', slots: 2 };
let kubernetes: Kubernetes;
let stage: Stage;

beforeAll(async () => {
  kubernetes = await startCluster();
  const file = join(temporaryFolder('acl'), 'users.acl');
  writeFileSync(file, 'user default on nopass ~* &* +@all\n');
  stage = await createStage(kubernetes, { redisOptions: ['--aclfile', file] });
  for (const name of ['a', 'b']) await stage.apply(model(name, { scaling: { min: 1, max: 1 } }));
}, KUBERNETES_TIMEOUT_MS);
afterAll(async () => {
  await stage.close();
  await kubernetes.stop();
}, KUBERNETES_TIMEOUT_MS);

async function urlOf(name: string): Promise<string> {
  const found = (await stage.list('secrets', LABELS.model)).find(
    ({ metadata }) => metadata.labels?.[LABELS.model] === name,
  );
  return readSecret(found).url ?? '';
}

const userOf = (name: string) => stage.ledger.link.send('', ['ACL', 'GETUSER', `worker:svc:${name}`]);

/** Connects as the workers of a model, with the URL that their pods mount. */
async function connectAs(name: string): Promise<RedisLink> {
  await eventually(async () => expect(await userOf(name)).not.toBeNull(), LONG_MS);
  return connected(connectRedis({ url: await urlOf(name), name: 'test', timeoutMs: 5000 }));
}

test('workers of a model can register for this model, but not for another one, and cannot send scripts', async () => {
  await eventually(async () => expect(await urlOf('a')).toMatch(/^redis:\/\/worker%3Asvc%3Aa:/), LONG_MS);
  const link = await connectAs('a');
  const { workers } = createLedger(withFunctions(link), { prefix: 'svc' });
  await workers.register('a', WORKER);
  await workers.remove('a', 'w');
  await expect(workers.register('b', WORKER)).rejects.toThrow(/NOPERM/);
  await expect(link.send('', ['EVAL', 'return 1', '0'])).rejects.toThrow(/NOPERM/);
  await link.close();
});

test('each model has its own Redis password, which only its pods mount', async () => {
  const [a, b] = await Promise.all(['a', 'b'].map(urlOf));
  expect(new URL(a ?? '').password).not.toBe(new URL(b ?? '').password);
  for (const { metadata, spec } of await stage.list('pods')) {
    const { volumes } = spec as { volumes: { name: string; secret?: { secretName: string; items: object[] } }[] };
    expect(volumes.find(({ name }) => name === 'redis')?.secret).toMatchObject({
      secretName: `${metadata.labels?.[LABELS.model] ?? ''}-workers`,
      items: [{ key: 'url', path: 'url' }],
    });
  }
});

test('after a restart of Redis and the operator, the Redis users of models exist again with the same passwords', async () => {
  const link = await connectAs('a');
  const url = await urlOf('a');
  // Waits for the pods, because a pod that starts while Redis is stopped would fail.
  await eventually(async () => {
    for (const name of ['a', 'b']) expect(await stage.ledger.workers.list(name)).toHaveLength(1);
  }, LONG_MS);
  await stage.redis.kill();
  await stage.redis.restart();
  await eventually(async () => expect(await userOf('a')).not.toBeNull(), LONG_MS);
  await connected(link);
  await stage.stopOperator();
  await stage.ledger.link.send('', ['ACL', 'DELUSER', 'worker:svc:a']);
  await stage.restartOperator();
  await eventually(async () => expect(await userOf('a')).not.toBeNull(), LONG_MS);
  await connected(link);
  expect(await urlOf('a')).toBe(url);
  await link.close();
});

test('the Redis user and the pods of a deleted model are removed, and the Redis user of another model stays', async () => {
  await stage.kubectl(['delete', 'asrmodel', 'a', '--wait=false']);
  await eventually(async () => {
    expect(await userOf('a')).toBeNull();
    expect(await stage.list('pods', `${LABELS.model}=a`)).toEqual([]);
  }, LONG_MS);
  expect(await userOf('b')).not.toBeNull();
});

test('the Redis user of a model that was deleted while no operator ran is deleted by the next operator', async () => {
  await stage.stopOperator();
  await stage.kubectl(['delete', 'asrmodel', 'b', '--wait=false']);
  expect(await userOf('b')).not.toBeNull();
  await stage.restartOperator();
  await eventually(async () => expect(await userOf('b')).toBeNull(), LONG_MS);
});
