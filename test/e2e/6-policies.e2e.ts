import { eventually } from '../support/eventually.ts';
import { KIKUYU } from './live.ts';
import { ELSEWHERE, removeStrangers, startStrangers, STRANGER_PORTS } from './strangers.ts';
import { NAMESPACE, openStage, until } from './stage.ts';
import type { Stage } from './stage.ts';

/** Policies take a moment to reach all nodes after a pod has come. */
const SETTLED_MS = 20_000;
const CONNECT_MS = 3000;
/** One that is left without an answer proves nothing: the machine may be busy. */
type Outcome = 'open' | 'refused' | 'unanswered';

let stage: Stage;
/** Where pods listen, by what it is called here. */
let places: Record<string, string>;

beforeAll(async () => {
  stage = await openStage();
  // Workers that the tests before needed may be about to leave.
  const least = await stage.read(`asrmodel/${KIKUYU}`, '.spec.scaling.min');
  for (const count of ['replicas', 'readyReplicas'])
    await until(stage, `asrmodel/${KIKUYU}`, `.status.${count}`, least);
  await startStrangers(stage);
  const parts = ['gateway', 'console', 'operator', 'redis', 'worker', 'stranger'];
  const pods = await Promise.all(parts.map((part) => podOf(part)));
  const [gateway, console, operator, redis, worker, stranger] = pods.map(({ address }) => address);
  places = {
    api: `${gateway}:8443`,
    'gateway metrics': `${gateway}:9090`,
    page: `${console}:8444`,
    'admin API': `${console}:9090`,
    'operator metrics': `${operator}:9090`,
    redis: `${redis}:6379`,
    streams: `${worker}:8443`,
    'worker metrics': `${worker}:9090`,
    // By its name: who may ask for names is shown with it.
    kubernetes: 'kubernetes.default.svc.cluster.local:443',
    stranger: `${stranger}:${STRANGER_PORTS[0]}`,
    'redis of a stranger': `${stranger}:${STRANGER_PORTS[1]}`,
  };
});
afterAll(async () => {
  await removeStrangers(stage);
  stage.close();
});

interface PodFacts {
  metadata: { name: string; deletionTimestamp?: string };
  status: { podIP: string };
}

/** A pod that runs and stays. */
async function podOf(part: string, namespace = NAMESPACE): Promise<{ name: string; address: string }> {
  const listed = await stage.cluster.kubectl([
    ...['-n', namespace, 'get', 'pods', '-l', `app.kubernetes.io/component=${part}`],
    ...['--field-selector=status.phase=Running', '-o', 'json'],
  ]);
  const { items } = JSON.parse(listed) as { items: PodFacts[] };
  const pod = items.find(({ metadata }) => metadata.deletionTimestamp === undefined);
  if (pod === undefined) throw new Error(`no pod of ${part} runs in ${namespace}`);
  return { name: pod.metadata.name, address: pod.status.podIP };
}

/** Runs in a pod: tells for each place whether a connection comes about. A name that is not found fails all of it. */
const PROBE = `
const { connect } = require('node:net');
const { lookup } = require('node:dns/promises');
const places = JSON.parse(process.argv[1]);
const ask = async ([name, place]) => {
  const [host, port] = place.split(':');
  const { address } = await lookup(host);
  return new Promise((resolve) => {
    const socket = connect({ host: address, port: Number(port), timeout: ${CONNECT_MS} });
    const tell = (outcome) => { socket.destroy(); resolve([name, outcome]); };
    socket.on('connect', () => tell('open')).on('error', () => tell('refused')).on('timeout', () => tell('unanswered'));
  });
};
Promise.all(Object.entries(places).map(ask)).then((all) => console.log(JSON.stringify(Object.fromEntries(all))));
`;

async function probe(part: string, namespace: string, wanted: readonly string[]): Promise<Record<string, Outcome>> {
  const { name: pod } = await podOf(part, namespace);
  const asked = JSON.stringify(Object.fromEntries(wanted.map((place) => [place, places[place]])));
  const printed = await stage.cluster.kubectl(['-n', namespace, 'exec', pod, '--', 'node', '-e', PROBE, asked]);
  return JSON.parse(printed) as Record<string, Outcome>;
}

/** What each may reach; all else of `places` is refused, but for what a pod says to itself. */
const MAY_REACH: readonly [part: string, namespace: string, own: readonly string[], open: readonly string[]][] = [
  ['gateway', NAMESPACE, ['api', 'gateway metrics'], ['redis', 'streams']],
  // The operator knows the Redis of workers by its port alone.
  ['worker', NAMESPACE, ['streams', 'worker metrics'], ['redis', 'redis of a stranger']],
  ['operator', NAMESPACE, ['operator metrics'], ['redis', 'kubernetes']],
  ['console', NAMESPACE, ['page', 'admin API'], ['redis', 'kubernetes']],
];
const STRANGER_MAY_REACH = [
  ...['api', 'page', 'kubernetes', 'stranger', 'redis of a stranger'],
  ...['gateway metrics', 'admin API', 'operator metrics', 'worker metrics'],
];

test.each([
  ...MAY_REACH,
  ['stranger', NAMESPACE, ['stranger', 'redis of a stranger'], STRANGER_MAY_REACH] as const,
  ['stranger', ELSEWHERE, [], STRANGER_MAY_REACH] as const,
])('a pod of %s in the namespace %s reaches what the policies name', async (part, namespace, own, open) => {
  const wanted = Object.keys(places).filter((name) => !own.includes(name));
  const expected = Object.fromEntries(wanted.map((name) => [name, open.includes(name) ? 'open' : 'refused']));
  let seen: Record<string, Outcome> = {};
  const isAsExpected = async () => {
    seen = await probe(part, namespace, wanted);
    return wanted.every((name) => seen[name] === expected[name]);
  };
  // What it says in the end is compared below, where a difference is shown in full.
  await eventually('outcomes are as expected', SETTLED_MS, isAsExpected).catch(() => undefined);
  expect(seen).toEqual(expected);
});

test('Redis speaks to nobody', async () => {
  const [host = '', port = ''] = places.stranger?.split(':') ?? [];
  // To be refused is an answer too: it must not end the command.
  const ping = `timeout 5 redis-cli -h ${host} -p ${port} ping 2>&1 || true`;
  const { name: pod } = await podOf('redis');
  expect(await stage.kubectl(['exec', pod, '--', 'sh', '-c', ping])).toMatch(/Could not connect/);
});
