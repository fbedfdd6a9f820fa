import { connectRedis, createLedger, setWorkerUser, withFunctions, workerUserOf } from '@svc-asr/ledger';
import { createTestFolder, startTestOperator } from '../../operator/src/testing/harness.ts';
import type { TestFolder, TestOperator } from '../../operator/src/testing/harness.ts';
import { model, tenant } from '../../operator/src/testing/resources.ts';
import { PEPPER, startTestConsole, untilReady } from '../../console/src/testing/console.ts';
import type { TestConsole } from '../../console/src/testing/console.ts';
import { createVisitor } from '../../console/src/testing/visitor.ts';
import { connected } from '../../test/support/connected.ts';
import { eventually } from '../../test/support/eventually.ts';
import { MODEL, startGateway } from '../../test/support/gateway.ts';
import type { TestGateway } from '../../test/support/gateway.ts';
import { recording } from '../../test/support/recording.ts';
import { createSession, openStream } from '../../test/support/stream-client.ts';
import { startWorker } from '../../test/support/worker.ts';
import type { TestWorker } from '../../test/support/worker.ts';
import { startGuardedRedis } from './testing/guarded-redis.ts';
import type { GuardedRedis } from './testing/guarded-redis.ts';

const PREFIX = 'svc';
const WITHIN_MS = 60_000;
const PEPPERS = JSON.stringify({ current: 'p1', secrets: { p1: PEPPER.toString('base64') } });

let redis: GuardedRedis;
let folder: TestFolder;
let consoleService: TestConsole;
let operator: TestOperator;
let worker: TestWorker;
let gateway: TestGateway;

/** Connects as the operator and creates the Redis user of a model. Returns the Redis URL of the model's workers. */
async function setModelUser(name: string): Promise<string> {
  const { masters } = await redis.connect('operator');
  await setWorkerUser(masters(), { prefix: PREFIX, model: name, password: 'secret' });
  return `redis://${encodeURIComponent(workerUserOf(PREFIX, name))}:secret@127.0.0.1:${redis.port}`;
}

/** Starts every service with the Redis user that it has in a cluster. */
beforeAll(async () => {
  redis = await startGuardedRedis();
  folder = createTestFolder();
  folder.write('acme.yaml', tenant('acme', { state: 'Active', grants: [{ id: 'first', audioSeconds: 600 }] }));
  folder.write('model.yaml', model(MODEL, { scaling: { min: 1, max: 1 } }));
  consoleService = await startTestConsole(redis.url('console'), {
    KEY_ACTIVATION_TIMEOUT_MS: '30000',
    READ_ONLY_FOLDERS: folder.path,
  });
  operator = await startTestOperator([folder.path, consoleService.folder], redis.url('operator'));
  worker = await startWorker(await setModelUser(MODEL), PREFIX);
  gateway = await startGateway(redis.url('gateway'), PREFIX, { API_KEY_PEPPERS: PEPPERS });
  await untilReady(consoleService);
}, 180_000);
afterAll(async () => {
  await gateway.stop();
  await worker.stop();
  await operator.stop();
  await consoleService.stop();
  folder.cleanUp();
  await redis.stop();
});

/**
 * Signs in as a developer, and loads the data that the page shows about a tenant and about one of its live sessions.
 */
async function readAsDeveloper(tenantName: string, sessionId: string): Promise<void> {
  const code = await consoleService.call('POST', `/admin/v1/tenants/${tenantName}/sign-in`);
  const developer = createVisitor(consoleService.pageUrl);
  await developer.call('POST', 'sign-in', { token: (code.body as { token: string }).token });
  for (const path of ['account', 'keys', 'usage', 'refusals', 'sessions', `sessions/${sessionId}`]) {
    expect([path, (await developer.call('GET', path)).status]).toEqual([path, 200]);
  }
}

/** Returns the commands that Redis denied, with user and reason. */
async function refusals(): Promise<string[]> {
  const entries = (await redis.admin('ACL', 'LOG')) as string[][];
  return entries.map((entry) => {
    const field = (name: string) => entry[entry.indexOf(name) + 1] ?? '';
    return `${field('username')}: ${field('reason')} ${field('object')} (${field('context')})`;
  });
}

test(
  'Redis denies no command of any service, from creating a key to purging the tenant and deleting the model',
  async () => {
    const created = await consoleService.call('POST', '/admin/v1/keys', { body: { tenant: 'acme', name: 'test' } });
    expect(created).toMatchObject({ status: 201, body: { active: true } });
    const { key, key_id: keyId } = created.body as { key: string; key_id: string };

    const session = await createSession(gateway, key, { model: MODEL, max_audio_seconds: 30 });
    const stream = await openStream(session);
    await stream.next('ready', WITHIN_MS);
    stream.audio(recording().pcm);
    stream.send({ type: 'flush' });
    expect((await stream.next('final', WITHIN_MS)).text).not.toBe('');
    stream.close();
    const unused = await eventually('another session can be created', WITHIN_MS, () =>
      createSession(gateway, key, { model: MODEL, max_audio_seconds: 5 }).catch(() => undefined),
    );
    expect(unused.id).not.toBe(session.id);

    const usage = await fetch(`${gateway.baseUrl}/v1/usage`, { headers: { authorization: `Bearer ${key}` } });
    expect(await usage.json()).toMatchObject({ recent_sessions: [{ status: 'reserved' }, { status: 'completed' }] });
    const tenant = '/admin/v1/tenants/acme';
    const allUsage = '/admin/v1/usage?from=2999-01-01&to=2999-01-31';
    const platform = ['/admin/v1/models', '/admin/v1/health', '/admin/v1/audit'];
    for (const path of [tenant, `${tenant}/usage`, `${tenant}/journal`, allUsage, ...platform]) {
      expect([path, (await consoleService.call('GET', path)).status]).toEqual([path, 200]);
    }
    await readAsDeveloper('acme', unused.id);
    expect(await consoleService.call('GET', '/admin/v1/keys')).toMatchObject({ body: { ledger_available: true } });
    expect(await consoleService.call('DELETE', `/admin/v1/keys/${keyId}`)).toMatchObject({ body: { applied: true } });

    // Closing the account also ends the session that still has a reservation.
    folder.remove('acme.yaml');
    await eventually('the account is closed', WITHIN_MS, async () => {
      const state = await redis.admin('HGET', `${PREFIX}:{t:acme}:a`, 'state');
      return state !== 'Active';
    });
    const purged = await consoleService.call('POST', '/admin/v1/tenants/acme/purge', { body: { confirm: true } });
    expect(purged).toMatchObject({ status: 200, body: { complete: true } });
    folder.remove('model.yaml');
    await eventually('the model is removed from the catalogue', WITHIN_MS, async () => {
      const text = await (await fetch(`${gateway.baseUrl}/v1/models`)).text();
      return !text.includes(MODEL);
    });
    expect(await refusals()).toEqual([]);
  },
  4 * WITHIN_MS,
);

test('Redis denies a worker the registration for another model, and refusals() reports it', async () => {
  const link = connectRedis({ url: await setModelUser('other'), name: 'test', timeoutMs: 5000 });
  await connected(link);
  const { workers } = createLedger(withFunctions(link), { prefix: PREFIX });
  const attacker = { id: 'w', address: 'wss://attacker', revision: 'r', slots: 100 };
  await workers.register('other', attacker);
  await expect(workers.register(MODEL, attacker)).rejects.toThrow(/NOPERM/);
  expect(await refusals()).toEqual([expect.stringMatching(/^worker:svc:other: /)]);
});
