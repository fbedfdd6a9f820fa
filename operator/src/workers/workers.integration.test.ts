import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Ledger } from '@svc-asr/ledger';
import { programFile } from '../../../test/support/programs.ts';
import { startRedis } from '../../../test/support/redis.ts';
import type { TestRedis } from '../../../test/support/redis.ts';
import { eventually } from '../testing/eventually.ts';
import { placed as placedOn } from '../testing/placed.ts';
import { createTestFolder, openLedger, startTestOperator } from '../testing/harness.ts';
import type { TestFolder, TestOperator } from '../testing/harness.ts';
import { model } from '../testing/resources.ts';
import { createStandIn } from '../testing/stand-in.ts';
import type { StandIn } from '../testing/stand-in.ts';
import { identityOf } from './process/identity.ts';

let redis: TestRedis;
let ledger: Ledger;
let closeLedger: () => Promise<void>;
let folder: TestFolder;
let state: string;
let standIn: StandIn;
/** Time limit for the start of a program, which takes long on a busy machine. */
const START_MS = 60_000;
const PROCESS_TEST_MS = 180_000;
const operators: TestOperator[] = [];
const children: ChildProcess[] = [];

beforeEach(async () => {
  redis = await startRedis();
  ({ ledger, close: closeLedger } = openLedger(redis.url));
  await eventually(() => ledger.catalogue.read());
  folder = createTestFolder();
  state = mkdtempSync(join(tmpdir(), 'svc-asr-workers-'));
  standIn = createStandIn();
});

afterEach(async () => {
  for (const operator of operators.splice(0)) await operator.stop();
  for (const child of children.splice(0)) child.kill('SIGKILL');
  standIn.cleanUp();
  await closeLedger();
  await redis.stop();
  folder.cleanUp();
  rmSync(state, { recursive: true, force: true });
});

const environment = (): NodeJS.ProcessEnv => ({
  STAND_IN: standIn.folder,
  WORKER_PROGRAM: standIn.program,
  WORKER_STATE_FOLDER: join(state, 'workers'),
  WORKER_LOG_FOLDER: join(state, 'logs'),
  WORKER_LOST_TIMEOUT_MS: '500',
  WORKER_STOP_GRACE_MS: '1000',
});

async function start(env: NodeJS.ProcessEnv = {}): Promise<TestOperator> {
  const operator = await startTestOperator([folder.path], redis.url, { ...environment(), ...env });
  operators.push(operator);
  return operator;
}

async function stop(operator: TestOperator): Promise<void> {
  operators.splice(operators.indexOf(operator), 1);
  await operator.stop();
}

/** Starts an operator as its own process, which can be killed. */
async function startProcess(): Promise<ChildProcess> {
  const env = {
    ...process.env,
    ...environment(),
    REDIS_URL: redis.url,
    CONFIG_FOLDERS: folder.path,
    ADMIN_PORT: '0',
    SCALING_INTERVAL_MS: '50',
  };
  const child = spawn(process.execPath, [programFile('operator')], { env, stdio: 'ignore' });
  children.push(child);
  await eventually(async () => expect((await ledger.catalogue.read())?.length).toBeGreaterThan(0), START_MS);
  return child;
}

const quick = { bufferSessions: 0, bufferPercent: 0, scaleDownDelaySeconds: 0, idleToZeroSeconds: 0 };
const pool = (scaling: object, spec: object = {}) => model('m', { scaling: { ...quick, ...scaling }, ...spec });
const workers = () => ledger.workers.list('m');
/**
 * Waits until exactly `count` workers run and none of them drains. Returns these workers. The processes are also
 * counted, because the ledger may still have records of workers that have ended.
 */
const upToNumber = (count: number) =>
  eventually(async () => {
    const found = (await workers()).filter(({ draining }) => !draining);
    expect(found).toHaveLength(count);
    expect(standIn.running()).toHaveLength(count);
    return found;
  });
const held = (sessionId: string) => ledger.pools.claim('m', sessionId, Date.now() + 60_000);
const placed = (sessionId: string) => placedOn(ledger, 'm', sessionId);
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

test('a pool starts its minimum of workers, grows with the demand, and shrinks when the demand ends', async () => {
  folder.write('m.yaml', pool({ min: 1, max: 3 }));
  await start();
  await upToNumber(1);
  for (const session of ['a', 'b', 'c', 'd', 'e']) await held(session);
  await upToNumber(3);
  for (const session of ['a', 'b', 'c', 'd', 'e']) await ledger.pools.leave('m', session, 't');
  await upToNumber(1);
});

test('a pool without workers starts a worker for the first session and returns to zero workers', async () => {
  folder.write('m.yaml', pool({ max: 2 }));
  const operator = await start();
  await eventually(async () => expect((await operator.get('/readyz')).status).toBe(200));
  await pause(300);
  expect(standIn.started().size).toBe(0);
  await placed('first');
  await ledger.pools.leave('m', 'first', 't');
  await upToNumber(0);
});

test('a worker process gets its settings as environment variables, and gets neither arguments nor secrets of other services', async () => {
  const env = [{ name: 'OF_THE_MODEL', value: 'yes' }];
  const keys = join(state, 'keys.pem');
  writeFileSync(keys, 'keys');
  folder.write('m.yaml', pool({ min: 1, max: 1 }, { worker: { slots: 7, env }, artifact: { path: 'models/m' } }));
  await start({
    MODEL_ROOT: '/repository',
    WORKER_TICKET_PUBLIC_KEYS_FILE: keys,
    WORKER_TICKET_KEY_FILE: '/secrets/ticket.key',
    API_KEY_PEPPERS_FILE: '/secrets/peppers',
    SESSION_SECRETS: 'secret',
    PORT: '8443',
    ADMIN_PORT: '0',
  });
  const [found] = await upToNumber(1);
  const [id, worker] = [...standIn.started()][0]!;
  expect(found).toMatchObject({ id, slots: 7 });
  expect(worker.env).toMatchObject({
    MODEL: 'm',
    MODEL_DIR: '/repository/models/m',
    PROVIDER: 'cpu',
    SLOTS: '7',
    WORKER_ID: id,
    REVISION: found?.revision,
    HOST: '127.0.0.1',
    PORT: '0',
    ADMIN_HOST: '127.0.0.1',
    ADMIN_PORT: '0',
    REDIS_KEY_PREFIX: 'svc',
    WORKER_TICKET_PUBLIC_KEYS_FILE: keys,
    OF_THE_MODEL: 'yes',
  });
  expect(worker.args).toEqual([standIn.program]);
  for (const name of ['API_KEY_PEPPERS_FILE', 'SESSION_SECRETS', 'WORKER_TICKET_KEY_FILE', 'ADVERTISE_ADDRESS']) {
    expect(worker.env).not.toHaveProperty(name);
  }
  const logs = readdirSync(join(state, 'logs'));
  expect(logs).toEqual([`worker-${id}.log`]);
  expect(statSync(join(state, 'logs', logs[0]!)).mode & 0o777).toBe(0o600);
});

test('a worker gets UTILIZATION_PERCENT from its model, or from the operator if the model does not set it', async () => {
  const env = [{ name: 'UTILIZATION_PERCENT', value: '80' }];
  folder.write('m.yaml', pool({ min: 1, max: 1 }, { worker: { slots: 7, env } }));
  folder.write('n.yaml', model('n', { scaling: { ...quick, min: 1, max: 1 }, worker: { slots: 7 } }));
  await start({ UTILIZATION_PERCENT: '65' });
  const shares = () => [...standIn.started().values()].map((worker) => worker.env.UTILIZATION_PERCENT).sort();
  await eventually(() => expect(shares()).toEqual(['65', '80']));
});

test('a killed worker is replaced, and is removed from the ledger before its lease expires', async () => {
  folder.write('m.yaml', pool({ min: 1, max: 1 }));
  await start({ STAND_IN_LEASE_MS: '600000' });
  const [first] = await upToNumber(1);
  process.kill(standIn.running()[0]!, 'SIGKILL');
  await eventually(async () => expect((await workers()).map(({ id }) => id)).not.toContain(first?.id));
  await upToNumber(1);
});

test('a hanging worker is replaced', async () => {
  folder.write('m.yaml', pool({ min: 1, max: 1 }));
  await start({ STAND_IN_LEASE_MS: '3000' });
  await upToNumber(1);
  const [pid] = standIn.running();
  process.kill(pid!, 'SIGSTOP');
  await eventually(() => expect(standIn.started().size).toBe(2));
  await upToNumber(1);
  expect(identityOf(pid!)).toBeUndefined();
});

test('a worker with a stream is drained and runs until the stream ends, and idle workers stop first', async () => {
  folder.write('m.yaml', pool({ min: 2, max: 2 }));
  const operator = await start();
  await upToNumber(2);
  const busy = await placed('stream');
  // Waits until the pool has read that a worker is busy. Otherwise it could stop this worker instead of the idle one.
  const active = /svc_asr_pool_sessions\{[^}]*state="active"[^}]*\} 1\b/;
  await eventually(async () => expect((await operator.get('/metrics')).body).toMatch(active));
  folder.write('m.yaml', pool({ min: 0, max: 1 }));
  const [left] = await upToNumber(1);
  expect(left?.id).toBe(busy.id);
  folder.write('m.yaml', pool({ min: 0, max: 0 }));
  await eventually(async () => expect(await workers()).toMatchObject([{ id: busy.id, draining: true, active: 1 }]));
  await pause(500);
  expect(standIn.running()).toHaveLength(1);
  await ledger.pools.leave('m', 'stream', 't');
  await upToNumber(0);
});

test('a pool reports to the ledger whether it can grow', async () => {
  folder.write('m.yaml', pool({ min: 1, max: 2 }, { worker: { slots: 1 } }));
  await start();
  await upToNumber(1);
  expect(await held('a')).toBe(true);
  expect(await held('b')).toBe(true);
  await upToNumber(2);
  let further = 0;
  await eventually(async () => expect(await held(`c${further++}`)).toBe(false));
});

test('a pool whose workers cannot start logs one error, refuses sessions and retries with growing delays', async () => {
  standIn.failWith('Error: model.onnx is damaged');
  folder.write('m.yaml', pool({ min: 1, max: 2 }));
  const operator = await start();
  const line = await eventually(() => {
    const found = operator.lines.find(({ level, model }) => level === 'error' && model === 'm');
    expect(found).toBeDefined();
    return found;
  });
  expect(line).toMatchObject({ reason: expect.stringContaining('model.onnx is damaged') });
  await eventually(async () => expect(await held('a')).toBe(false));
  const tries = standIn.started().size;
  await pause(700);
  expect(standIn.started().size - tries).toBeLessThanOrEqual(1);
  expect(operator.lines.filter(({ level, model }) => level === 'error' && model === 'm')).toHaveLength(1);
  standIn.failWith(undefined);
  await upToNumber(1);
});

test('an artifact that needs a cluster is reported as a start failure, and no worker is started for it', async () => {
  folder.write('m.yaml', pool({ min: 1, max: 1 }, { artifact: { image: 'registry.example/m:1' } }));
  const operator = await start();
  await eventually(() => expect(operator.lines.map(({ message }) => message).join()).toContain('spec.artifact.path'));
  await eventually(async () => expect(await held('a')).toBe(false));
  expect(standIn.started().size).toBe(0);
});

test('a changed artifact starts new workers before the old workers stop', async () => {
  folder.write('m.yaml', pool({ min: 2, max: 2 }));
  await start();
  const before = await upToNumber(2);
  folder.write('m.yaml', pool({ min: 2, max: 2 }, { artifact: { path: '/models/second' } }));
  let fewest = Infinity;
  await eventually(async () => {
    const found = (await workers()).filter(({ draining }) => !draining);
    fewest = Math.min(fewest, found.length);
    expect(found.map(({ revision }) => revision)).not.toContain(before[0]?.revision);
    expect(found).toHaveLength(2);
  });
  expect(fewest).toBe(2);
  await upToNumber(2);
});

test('the workers of a deleted model are stopped', async () => {
  folder.write('m.yaml', pool({ min: 1, max: 1 }));
  await start();
  await upToNumber(1);
  folder.remove('m.yaml');
  await upToNumber(0);
});

test('the operator stops its workers when it stops, even a worker that ignores SIGTERM', async () => {
  const env = [{ name: 'STUBBORN', value: '1' }];
  folder.write('m.yaml', pool({ min: 1, max: 1 }), model('n', { scaling: { min: 1, max: 1 }, worker: { env } }));
  const operator = await start();
  await eventually(() => expect(standIn.running()).toHaveLength(2));
  await eventually(async () => expect(await ledger.workers.list('n')).toHaveLength(1));
  await stop(operator);
  expect(standIn.running()).toEqual([]);
  expect(readdirSync(join(state, 'workers')).filter((name) => name.endsWith('.json'))).toEqual([]);
});

test(
  'the next operator adopts the workers of a killed operator, and removes from the ledger the workers that have ended in the meantime',
  async () => {
    folder.write('m.yaml', pool({ min: 2, max: 2 }));
    const first = await startProcess();
    const before = (await upToNumber(2)).map(({ id }) => id);
    first.kill('SIGKILL');
    await eventually(() => expect(identityOf(first.pid!)).toBeUndefined());
    const [killed, ...kept] = standIn.running();
    process.kill(killed!, 'SIGKILL');
    await start();
    await eventually(() => expect(standIn.started().size).toBe(3));
    await upToNumber(2);
    expect(standIn.running()).toEqual(expect.arrayContaining(kept));
    expect((await workers()).filter(({ id }) => before.includes(id))).toHaveLength(1);
  },
  PROCESS_TEST_MS,
);

test(
  'if a recorded pid now belongs to another program, the operator does not stop that program',
  async () => {
    folder.write('m.yaml', pool({ min: 1, max: 1 }));
    const first = await startProcess();
    await upToNumber(1);
    first.kill('SIGKILL');
    await eventually(() => expect(identityOf(first.pid!)).toBeUndefined());
    for (const pid of standIn.running()) process.kill(pid, 'SIGKILL');
    const records = join(state, 'workers');
    const [file] = readdirSync(records).filter((name) => name.endsWith('.json'));
    const record = JSON.parse(readFileSync(join(records, file!), 'utf8')) as object;
    const other = spawn(process.execPath, ['-e', 'setInterval(() => 0, 1000)'], { stdio: 'ignore' });
    children.push(other);
    writeFileSync(join(records, file!), JSON.stringify({ ...record, pid: other.pid }));
    const operator = await start();
    await upToNumber(1);
    await stop(operator);
    expect(identityOf(other.pid!)).toBeDefined();
  },
  PROCESS_TEST_MS,
);

test('workers keep running while Redis is unavailable, are replaced if they end, and serve again when Redis is back', async () => {
  folder.write('m.yaml', pool({ min: 1, max: 3 }));
  await start();
  await upToNumber(1);
  for (const session of ['a', 'b', 'c']) await held(session);
  await upToNumber(2);
  await redis.kill();
  const killed = standIn.running()[0]!;
  process.kill(killed, 'SIGKILL');
  await eventually(() => {
    // The killed process may still exist for a moment after the signal.
    expect(standIn.running()).not.toContain(killed);
    expect(standIn.running()).toHaveLength(2);
  });
  await pause(1500);
  expect(standIn.running()).toHaveLength(2);
  await redis.restart();
  await upToNumber(2);
});
