import { buildRules } from './policy-rules.ts';
import { selects } from './policy.ts';
import type { Pod, Policy, World } from './policy.ts';

const NODE = 'node-1';
const namespaces = ['asr', 'other'].map((name) => ({ metadata: { name, labels: { name } } }));

function pod(app: string, podIP: string, more: Partial<Pod['metadata'] & Pod['spec']> = {}): Pod {
  const { namespace = 'asr', nodeName = NODE, hostNetwork = false } = more;
  const metadata = { name: app, namespace, labels: { app } };
  return { metadata, spec: { nodeName, hostNetwork }, status: { podIP, phase: 'Running' } };
}

const policy = (app: string, spec: Partial<Policy['spec']>): Policy => ({
  metadata: { name: app, namespace: 'asr' },
  spec: { podSelector: { matchLabels: { app } }, ...spec },
});

const pods = [
  pod('redis', '10.0.1.1'),
  pod('gateway', '10.0.2.1', { nodeName: 'node-2' }),
  pod('gateway', '10.0.2.2', { namespace: 'other' }),
  pod('gateway', '10.0.9.9', { hostNetwork: true }),
];

/** The rules of the chain of a pod, without what is the same in all of them. */
function rulesOf(chain: string, policies: readonly Policy[], world: Partial<World> = {}): string[] | undefined {
  const { text } = buildRules({ policies, pods, namespaces, ...world }, NODE, []);
  if (!text.includes(`:${chain} `)) return undefined;
  const start = `-A ${chain} `;
  return text
    .split('\n')
    .filter((line) => line.startsWith(start))
    .map((line) => line.slice(start.length));
}
const REFUSE = '-j REJECT --reject-with icmp-admin-prohibited';
const IN = 'SVC-ASR-IN-10.0.1.1';
const OUT = 'SVC-ASR-OUT-10.0.1.1';

test('a pod that no policy is for is left alone', () => {
  expect(rulesOf(IN, [policy('gateway', {})])).toBeUndefined();
  expect(rulesOf(IN, [{ ...policy('redis', {}), metadata: { name: 'redis', namespace: 'other' } }])).toBeUndefined();
});

test('a policy that allows nothing refuses everything, in its directions', () => {
  expect(rulesOf(IN, [policy('redis', {})])).toEqual([REFUSE]);
  expect(rulesOf(OUT, [policy('redis', {})])).toBeUndefined();
  const both = policy('redis', { policyTypes: ['Ingress', 'Egress'] });
  expect([rulesOf(IN, [both]), rulesOf(OUT, [both])]).toEqual([[REFUSE], [REFUSE]]);
  expect(rulesOf(OUT, [policy('redis', { egress: [] })])).toEqual([REFUSE]);
});

test('pods are named by labels, in the namespace of the policy unless it names others', () => {
  const podSelector = { matchLabels: { app: 'gateway' } };
  const ports = [{ protocol: 'TCP', port: 6379 }];
  const from = (peer: object) => rulesOf(IN, [policy('redis', { ingress: [{ from: [peer], ports }] })]);
  const near = '-s 10.0.2.1 -p tcp --dport 6379 -j RETURN';
  const far = '-s 10.0.2.2 -p tcp --dport 6379 -j RETURN';
  expect(from({ podSelector })).toEqual([near, REFUSE]);
  expect(from({ podSelector, namespaceSelector: {} })).toEqual([near, far, REFUSE]);
  expect(from({ namespaceSelector: { matchLabels: { name: 'other' } } })).toEqual([far, REFUSE]);
  expect(from({ podSelector: { matchLabels: { app: 'nobody' } } })).toEqual([REFUSE]);
});

test('who names no peers or no ports leaves them open, and policies add up', () => {
  const ports = [{ port: 53, protocol: 'UDP' }, { port: 80, endPort: 90 }, {}];
  const rules = rulesOf(OUT, [
    policy('redis', { policyTypes: ['Egress'], egress: [{ ports }] }),
    policy('redis', { policyTypes: ['Egress'], egress: [{ to: [{ ipBlock: { cidr: '10.1.0.0/16' } }] }] }),
  ]);
  expect(rules).toEqual([
    ...['-p udp --dport 53 -j RETURN', '-p tcp --dport 80:90 -j RETURN', '-p tcp -j RETURN'],
    ...['-d 10.1.0.0/16 -j RETURN', REFUSE],
  ]);
});

test('what is not known here allows nothing', () => {
  const ipBlock = { cidr: '10.1.0.0/16', except: ['10.1.1.0/24'] };
  expect(rulesOf(IN, [policy('redis', { ingress: [{ from: [{ ipBlock }] }, { ports: [{ port: 'http' }] }] })])).toEqual(
    [REFUSE],
  );
});

test('both ends are asked, who was let in goes on, and chains of pods that are gone are removed', () => {
  const both = policy('redis', { policyTypes: ['Ingress', 'Egress'] });
  const { text, chains } = buildRules({ policies: [both], pods, namespaces }, NODE, [IN, 'SVC-ASR-IN-10.0.1.7']);
  expect(chains).toEqual([OUT, IN]);
  expect(text.split('\n').filter((line) => line.startsWith('-A SVC-ASR-POLICIES'))).toEqual([
    '-A SVC-ASR-POLICIES -m conntrack --ctstate ESTABLISHED,RELATED -j RETURN',
    `-A SVC-ASR-POLICIES -s 10.0.1.1 -j ${OUT}`,
    `-A SVC-ASR-POLICIES -d 10.0.1.1 -j ${IN}`,
  ]);
  expect(text).toMatch(/\n-X SVC-ASR-IN-10\.0\.1\.7\nCOMMIT\n$/);
});

test('pods that have ended have no address any more', () => {
  const ended: Pod = { ...pod('redis', '10.0.1.1'), status: { podIP: '10.0.1.1', phase: 'Succeeded' } };
  expect(rulesOf(IN, [policy('redis', {})], { pods: [ended] })).toBeUndefined();
});

test.each([
  [{ key: 'app', operator: 'In', values: ['a', 'b'] }, true],
  [{ key: 'app', operator: 'NotIn', values: ['a'] }, false],
  [{ key: 'tier', operator: 'NotIn', values: ['a'] }, true],
  [{ key: 'app', operator: 'Exists' }, true],
  [{ key: 'app', operator: 'DoesNotExist' }, false],
])('%j of something with app=a: %s', (expression, expected) => {
  expect(selects({ matchExpressions: [expression] }, { app: 'a' })).toBe(expected);
});
