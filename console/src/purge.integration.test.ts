import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '../../test/support/eventually.ts';
import { KUBERNETES_TIMEOUT_MS, borrowKubernetes } from '../../test/support/kubernetes.ts';
import { grantRules, readChartRules } from '../../test/support/kubernetes/grant.ts';
import { reserved } from '../../test/support/ledger.ts';
import { startRedis } from '../../test/support/redis.ts';
import { startRedisCluster } from '../../test/support/redis-cluster.ts';
import { runCommand } from './testing/command.ts';
import { startTestConsole, TOKEN, untilReady } from './testing/console.ts';
import type { TestConsole } from './testing/console.ts';
import { startOperatorProcess } from './testing/operator-process.ts';

const WITHIN_MS = 60_000;

/** An installation with the real operator. Its journal is exported. */
interface Installation {
  console_: TestConsole;
  /** Returns the names of all Tenants and ApiKeys, or of all files in the folder of the console. */
  resources: () => Promise<string>;
  stop: () => Promise<void>;
}

const home = mkdtempSync(join(tmpdir(), 'purge-'));
const journal = () => mkdtempSync(join(home, 'journal-'));
let journalFolder: string;
afterAll(() => rmSync(home, { recursive: true }));

const OPERATOR = {
  LEDGER_INTERVAL_MS: '100',
  STATUS_BALANCE_INTERVAL_MS: '200',
  JOURNAL_EXPORT_INTERVAL_MS: '100',
  RETRY_MAX_MS: '500',
};

/** Starts an installation with a real API server, with one Redis and exactly the rights of the chart. */
async function startInCluster(): Promise<Installation> {
  const kubernetes = await borrowKubernetes();
  const redis = await startRedis();
  const namespace = await kubernetes.createNamespace();
  const kubeconfig = (service: 'operator' | 'console') =>
    grantRules(kubernetes, namespace, service, readChartRules(service));
  const operator = startOperatorProcess({
    ...OPERATOR,
    KUBERNETES: await kubeconfig('operator'),
    NAMESPACE: namespace,
    REDIS_URL: redis.url,
    WORKER_IMAGE: 'example.invalid/worker:1',
    JOURNAL_FOLDER: journalFolder,
    LEASE_SECONDS: '6',
    LEASE_RENEW_MS: '4000',
    LEASE_RETRY_MS: '200',
  });
  const console_ = await startTestConsole(redis.url, {
    KUBERNETES: await kubeconfig('console'),
    NAMESPACE: namespace,
    KEY_ACTIVATION_TIMEOUT_MS: '60000',
  });
  return {
    console_,
    resources: () => kubernetes.kubectl(['-n', namespace, 'get', 'tenants,apikeys', '-o', 'name']),
    stop: async () => {
      await operator.stop();
      await console_.stop();
      await redis.stop();
      await kubernetes.stop();
    },
  };
}

/** Starts an installation with resources in files and a Redis Cluster. */
async function startWithFiles(): Promise<Installation> {
  const redis = await startRedisCluster();
  const console_ = await startTestConsole(redis.url, { KEY_ACTIVATION_TIMEOUT_MS: '60000' });
  const operator = startOperatorProcess({
    ...OPERATOR,
    CONFIG_FOLDERS: console_.folder,
    CONFIG_DELETE_GRACE_MS: '200',
    REDIS_URL: redis.url,
    JOURNAL_FOLDER: journalFolder,
    LEDGER_ID_FILE: join(journalFolder, 'ledger-id'),
  });
  return {
    console_,
    resources: () => Promise.resolve(readdirSync(console_.folder).join('\n')),
    stop: async () => {
      await operator.stop();
      await console_.stop();
      await redis.stop();
    },
  };
}

describe.each([
  ['in a cluster', startInCluster],
  ['with files and a Redis Cluster', startWithFiles],
])('svc-asr admin tenants purge %s', (_name, start) => {
  let installation: Installation;
  let console_: TestConsole;
  let settings: string;

  beforeAll(async () => {
    journalFolder = journal();
    installation = await start();
    ({ console_ } = installation);
    await untilReady(console_);
    settings = mkdtempSync(join(home, 'settings-'));
    writeFileSync(join(settings, 'local.json'), JSON.stringify({ admin_url: console_.adminUrl, admin_token: TOKEN }));
  }, KUBERNETES_TIMEOUT_MS);
  afterAll(() => installation.stop(), KUBERNETES_TIMEOUT_MS);

  const admin = (...line: string[]) => runCommand(['admin', ...line], { SVC_ASR_HOME: settings });
  const purge = (...line: string[]) => admin('tenants', 'purge', ...line);
  const exported = () =>
    readdirSync(journalFolder)
      .map((name) => readFileSync(join(journalFolder, name), 'utf8'))
      .join('');

  /** Creates a tenant with a key and credit, and waits until its grant is in the exported journal. */
  async function create(name: string): Promise<void> {
    const options = ['--display-name', name, '--grant-seconds', '60'];
    expect(await admin('tenants', 'create', name, ...options)).toMatchObject({ status: 0 });
    expect(await admin('keys', 'create', '--tenant', name)).toMatchObject({ status: 0 });
    await eventually('the grant is exported', WITHIN_MS, () => Promise.resolve(exported().includes(`"${name}"`)));
  }

  test(
    'without --yes only counts the data, with --yes deletes it, and a new tenant of the same name starts without old data',
    async () => {
      await create('acme');
      await create('other');
      const shown = await purge('acme');
      expect(shown).toMatchObject({ status: 0, err: expect.stringContaining('--yes') });
      for (const row of [/tenant resources +1\n/, /api key resources +1\n/, /key records +1\n/, /journal lines +1\n/]) {
        expect(shown.out).toMatch(row);
      }
      expect((await admin('tenants', 'show', 'acme')).out).toMatch(/available +1m 0s/);

      const done = await purge('acme', '--yes');
      expect([done.status, done.out]).toEqual([0, expect.stringMatching(/key records +1 +0\n/)]);
      expect(done.out).toContain('Nothing of acme is left');
      expect(await installation.resources()).not.toContain('acme');
      expect(exported()).not.toContain('"acme"');
      expect(exported()).toContain('"other"');
      expect((await admin('tenants', 'show', 'other')).out).toMatch(/available +1m 0s/);

      const again = await purge('acme', '--yes', '--json');
      const { removed, remaining, complete } = JSON.parse(again.out);
      expect(Object.values({ ...removed, ...remaining }).filter((count) => count !== 0)).toEqual([]);
      expect([again.status, complete]).toEqual([0, true]);

      await create('acme');
      expect((await admin('tenants', 'show', 'acme')).out).toMatch(/granted +1m 0s\navailable +1m 0s/);
    },
    4 * WITHIN_MS,
  );

  test(
    'removes the remaining data of a tenant that was deleted earlier, including its revoked keys',
    async () => {
      await create('gone');
      const { out: key } = await admin('keys', 'create', '--tenant', 'gone');
      const keyId = key.slice(12, 22);
      await admin('keys', 'revoke', keyId);
      expect((await admin('tenants', 'delete', 'gone')).status).toBe(0);
      expect(await console_.ledger.apiKeys.find(keyId)).toMatchObject({ tenant: 'gone', revoked: true });
      const done = await purge('gone', '--yes');
      expect([done.status, done.out]).toEqual([0, expect.stringMatching(/key records +2 +0\n/)]);
      expect(await console_.ledger.apiKeys.find(keyId)).toBeUndefined();
      expect(await console_.ledger.accounts.read('gone')).toBeUndefined();
      expect(await console_.ledger.journal.tenants()).not.toContain('gone');
    },
    4 * WITHIN_MS,
  );

  test(
    'refuses a tenant with a live session, and removes the tenant after the session has ended',
    async () => {
      await create('busy');
      const { sessionId } = await reserved(console_.ledger, 'busy', { seconds: 5 });
      const refused = await purge('busy', '--yes');
      expect(refused.status).toBe(1);
      expect(refused.err).toContain('busy has 1 live session');
      expect(refused.err).toContain('svc-asr admin tenants delete busy');
      expect(await installation.resources()).toContain('busy');
      await console_.ledger.sessions.fail('busy', sessionId, undefined, 0, 'no worker');
      expect((await purge('busy', '--yes')).status).toBe(0);
    },
    4 * WITHIN_MS,
  );
});
