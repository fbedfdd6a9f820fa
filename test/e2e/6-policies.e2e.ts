import { eventually } from '../support/eventually.ts';
import { NAMESPACE, openHarness, SOON_MS, until } from './harness.ts';
import type { Harness } from './harness.ts';
import { KIKUYU } from './live-streams.ts';
import { ACCESS_NAMESPACE } from './release.ts';
import { OTHER_NAMESPACE, removeUnrelatedPods, startUnrelatedPods, UNRELATED_PORTS } from './unrelated-pods.ts';

/** Time limit for policies to take effect on all nodes after a pod has started. */
const SETTLE_MS = 20_000;
/** Timeout of a connection attempt. A network plugin may drop the packets of a connection that it blocks. */
const CONNECT_TIMEOUT_MS = 2000;
type Outcome = 'open' | 'blocked';

let harness: Harness;
/** Addresses with ports. The keys are the names that the tests use. */
let targets: Record<string, string>;

beforeAll(async () => {
  harness = await openHarness();
  // The tests before this one may have left surplus workers. Workers that are being deleted may still drain.
  const min = await harness.read(`asrmodel/${KIKUYU}`, '.spec.scaling.min');
  await eventually(`${min} workers are left`, SOON_MS, async () => {
    const workers = await listPods('worker');
    return workers.filter(({ metadata }) => metadata.name.startsWith(KIKUYU)).length === Number(min);
  });
  await until(harness, `asrmodel/${KIKUYU}`, '.status.readyReplicas', min);
  await startUnrelatedPods(harness);
  const components = ['gateway', 'console', 'operator', 'redis', 'worker', 'unrelated'];
  const pods = await Promise.all(components.map((component) => findPod(component)));
  const [gateway, console, operator, redis, worker, unrelated] = pods.map(({ address }) => address);
  targets = {
    api: `${gateway}:8443`,
    'gateway metrics': `${gateway}:9090`,
    'internal port': `${gateway}:9444`,
    page: `${console}:8444`,
    'console metrics': `${console}:9090`,
    'admin API': `${console}:9443`,
    'operator metrics': `${operator}:9090`,
    redis: `${redis}:6379`,
    streams: `${worker}:8443`,
    'worker metrics': `${worker}:9090`,
    // The name of this target is resolved first, so it also shows that DNS is allowed.
    kubernetes: 'kubernetes.default.svc:443',
    unrelated: `${unrelated}:${UNRELATED_PORTS[0]}`,
    'unrelated redis': `${unrelated}:${UNRELATED_PORTS[1]}`,
  };
});
afterAll(() => removeUnrelatedPods(harness));

interface Pod {
  metadata: { name: string; deletionTimestamp?: string };
  status: { podIP: string };
}

/** Returns the running pods of a component that are not being deleted. */
async function listPods(component: string, namespace = NAMESPACE): Promise<Pod[]> {
  const output = await harness.tools.kubectl([
    ...['-n', namespace, 'get', 'pods', '-l', `app.kubernetes.io/component=${component}`],
    ...['--field-selector=status.phase=Running', '-o', 'json'],
  ]);
  const { items } = JSON.parse(output) as { items: Pod[] };
  return items.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
}

/** Returns one running pod of a component. */
async function findPod(component: string, namespace = NAMESPACE): Promise<{ name: string; address: string }> {
  const [pod] = await listPods(component, namespace);
  if (pod === undefined) throw new Error(`no pod of ${component} runs in ${namespace}`);
  return { name: pod.metadata.name, address: pod.status.podIP };
}

/** Program that runs in a pod and prints for each target whether a connection opens. Fails if a name is unknown. */
const PROBE = `
const { connect } = require('node:net');
const { lookup } = require('node:dns/promises');
const probe = async ([name, target]) => {
  const [host, port] = target.split(':');
  const { address } = await lookup(host);
  return new Promise((resolve) => {
    const socket = connect({ host: address, port: Number(port), timeout: ${CONNECT_TIMEOUT_MS} });
    const report = (outcome) => { socket.destroy(); resolve([name, outcome]); };
    socket.on('connect', () => report('open')).on('error', () => report('blocked')).on('timeout', () => report('blocked'));
  });
};
const targets = Object.entries(JSON.parse(process.argv[1]));
Promise.all(targets.map(probe)).then((all) => console.log(JSON.stringify(Object.fromEntries(all))));
`;

async function probe(component: string, namespace: string, names: readonly string[]): Promise<Record<string, Outcome>> {
  const { name: pod } = await findPod(component, namespace);
  const wanted = JSON.stringify(Object.fromEntries(names.map((name) => [name, targets[name]])));
  const output = await harness.tools.kubectl(['-n', namespace, 'exec', pod, '--', 'node', '-e', PROBE, wanted]);
  return JSON.parse(output) as Record<string, Outcome>;
}

/**
 * Targets that each component can reach; all others are blocked. A pod's own ports are left out. Each blocked target is
 * open to another pod of these tests. A blocked connection is therefore never just a port on which nothing listens.
 */
const OPEN: readonly [component: string, namespace: string, own: readonly string[], open: readonly string[]][] = [
  ['gateway', NAMESPACE, ['api', 'gateway metrics', 'internal port'], ['redis', 'streams']],
  ['worker', NAMESPACE, ['streams', 'worker metrics'], ['redis']],
  ['operator', NAMESPACE, ['operator metrics'], ['redis', 'kubernetes']],
  ['console', NAMESPACE, ['page', 'console metrics', 'admin API'], ['redis', 'kubernetes', 'internal port']],
];
const OPEN_TO_UNRELATED = [
  ...['api', 'page', 'kubernetes', 'unrelated', 'unrelated redis'],
  ...['gateway metrics', 'console metrics', 'operator metrics', 'worker metrics'],
];

test.each([
  ...OPEN,
  ['unrelated', NAMESPACE, ['unrelated', 'unrelated redis'], OPEN_TO_UNRELATED] as const,
  ['unrelated', OTHER_NAMESPACE, [], OPEN_TO_UNRELATED] as const,
  ['access', ACCESS_NAMESPACE, [], [...OPEN_TO_UNRELATED, 'admin API']] as const,
])(
  'network policies let the %s pod in namespace %s connect only to the targets that are open to it',
  async (component, namespace, own, open) => {
    const names = Object.keys(targets).filter((name) => !own.includes(name));
    const expected = Object.fromEntries(names.map((name) => [name, open.includes(name) ? 'open' : 'blocked']));
    let outcomes: Record<string, Outcome> = {};
    const isExpected = async () => {
      outcomes = await probe(component, namespace, names);
      return names.every((name) => outcomes[name] === expected[name]);
    };
    // A timeout is ignored here, because the comparison below shows which outcomes differ.
    await eventually('outcomes are as expected', SETTLE_MS, isExpected).catch(() => undefined);
    expect(outcomes).toEqual(expected);
  },
);

test('network policies keep the Redis pod from connecting to an unrelated pod', async () => {
  const [host = '', port = ''] = targets['unrelated redis']?.split(':') ?? [];
  // redis-cli fails when its connection is blocked. kubectl must not fail in this case.
  const ping = `timeout 5 redis-cli -h ${host} -p ${port} ping 2>&1; echo done`;
  const { name: pod } = await findPod('redis');
  const output = await harness.kubectl(['exec', pod, '--', 'sh', '-c', ping]);
  expect(output).toContain('done');
  expect(output).not.toContain('PONG');
});
