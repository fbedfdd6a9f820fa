import type { V1NetworkPolicy, V1NetworkPolicyPeer, V1NetworkPolicySpec, V1Pod } from '@kubernetes/client-node';
import { matches } from './policy.ts';
import type { PolicyInputs } from './policy.ts';
import { buildRules } from './rules.ts';

const NODE = 'node-1';
const namespaces = ['asr', 'other'].map((name) => ({ metadata: { name, labels: { name } } }));

interface PodOptions {
  namespace?: string;
  nodeName?: string;
  hostNetwork?: boolean;
  phase?: string;
}

function pod(app: string, podIP: string, options: PodOptions = {}): V1Pod {
  const { namespace = 'asr', nodeName = NODE, hostNetwork = false, phase = 'Running' } = options;
  const metadata = { name: app, namespace, labels: { app } };
  return { metadata, spec: { nodeName, hostNetwork, containers: [] }, status: { podIP, phase } };
}

const policy = (app: string, spec: Partial<V1NetworkPolicySpec>, namespace = 'asr'): V1NetworkPolicy => ({
  metadata: { name: app, namespace },
  spec: { podSelector: { matchLabels: { app } }, ...spec },
});

const pods = [
  pod('redis', '10.0.1.1'),
  pod('gateway', '10.0.2.1', { nodeName: 'node-2' }),
  pod('gateway', '10.0.2.2', { namespace: 'other' }),
  pod('gateway', '10.0.9.9', { hostNetwork: true }),
];

/** Returns the rules of a chain without the prefix `-A CHAIN`. Undefined if there is no such chain. */
function rulesOf(chain: string, policies: readonly V1NetworkPolicy[], inputs: Partial<PolicyInputs> = {}) {
  const { text } = buildRules({ policies, pods, namespaces, ...inputs }, NODE, []);
  if (!text.includes(`:${chain} `)) return undefined;
  const start = `-A ${chain} `;
  const lines = text.split('\n').filter((line) => line.startsWith(start));
  return lines.map((line) => line.slice(start.length));
}
const REJECT = '-j REJECT --reject-with icmp-admin-prohibited';
const IN = 'SVC-ASR-IN-10.0.1.1';
const OUT = 'SVC-ASR-OUT-10.0.1.1';

test('buildRules returns no rules for a pod that no policy of its namespace selects', () => {
  expect(rulesOf(IN, [policy('gateway', {})])).toBeUndefined();
  expect(rulesOf(IN, [policy('redis', {}, 'other')])).toBeUndefined();
});

test('a policy without rules rejects all connections in the directions of its policyTypes', () => {
  expect(rulesOf(IN, [policy('redis', {})])).toEqual([REJECT]);
  expect(rulesOf(OUT, [policy('redis', {})])).toBeUndefined();
  const both = policy('redis', { policyTypes: ['Ingress', 'Egress'] });
  expect([rulesOf(IN, [both]), rulesOf(OUT, [both])]).toEqual([[REJECT], [REJECT]]);
  expect(rulesOf(OUT, [policy('redis', { egress: [] })])).toEqual([REJECT]);
});

test('a pod selector matches pods in the namespace of the policy unless a namespace selector is given', () => {
  const podSelector = { matchLabels: { app: 'gateway' } };
  const ports = [{ protocol: 'TCP', port: 6379 }];
  const from = (peer: V1NetworkPolicyPeer) => rulesOf(IN, [policy('redis', { ingress: [{ _from: [peer], ports }] })]);
  const near = '-s 10.0.2.1 -p tcp --dport 6379 -j RETURN';
  const far = '-s 10.0.2.2 -p tcp --dport 6379 -j RETURN';
  expect(from({ podSelector })).toEqual([near, REJECT]);
  expect(from({ podSelector, namespaceSelector: {} })).toEqual([near, far, REJECT]);
  expect(from({ namespaceSelector: { matchLabels: { name: 'other' } } })).toEqual([far, REJECT]);
  expect(from({ podSelector: { matchLabels: { app: 'missing' } } })).toEqual([REJECT]);
});

test('an ingress rule with the field "from" (objects of a watch) has the same effect as a rule with "_from" (objects of a list)', () => {
  const ingress = [{ from: [{ podSelector: { matchLabels: { app: 'gateway' } } }] }];
  expect(rulesOf(IN, [policy('redis', { ingress } as Partial<V1NetworkPolicySpec>)])).toEqual([
    '-s 10.0.2.1 -j RETURN',
    REJECT,
  ]);
});

test('a rule without peers allows all peers, a rule without ports allows all ports, and the rules of several policies add up', () => {
  const ports = [{ port: 53, protocol: 'UDP' }, { port: 80, endPort: 90 }, {}];
  const rules = rulesOf(OUT, [
    policy('redis', { policyTypes: ['Egress'], egress: [{ ports }] }),
    policy('redis', { policyTypes: ['Egress'], egress: [{ to: [{ ipBlock: { cidr: '10.1.0.0/16' } }] }] }),
  ]);
  expect(rules).toEqual([
    ...['-p udp --dport 53 -j RETURN', '-p tcp --dport 80:90 -j RETURN', '-p tcp -j RETURN'],
    ...['-d 10.1.0.0/16 -j RETURN', REJECT],
  ]);
});

test('rules with a named port or an ipBlock with exceptions allow nothing', () => {
  const ipBlock = { cidr: '10.1.0.0/16', except: ['10.1.1.0/24'] };
  const ingress = [{ _from: [{ ipBlock }] }, { ports: [{ port: 'http' }] }];
  expect(rulesOf(IN, [policy('redis', { ingress })])).toEqual([REJECT]);
});

test('buildRules builds rules for both directions, lets established connections pass and deletes unused chains', () => {
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

test('buildRules ignores the address of a pod that has ended', () => {
  const ended = pod('redis', '10.0.1.1', { phase: 'Succeeded' });
  expect(rulesOf(IN, [policy('redis', {})], { pods: [ended] })).toBeUndefined();
});

test.each([
  [{ key: 'app', operator: 'In', values: ['a', 'b'] }, true],
  [{ key: 'app', operator: 'NotIn', values: ['a'] }, false],
  [{ key: 'tier', operator: 'NotIn', values: ['a'] }, true],
  [{ key: 'app', operator: 'Exists' }, true],
  [{ key: 'app', operator: 'DoesNotExist' }, false],
])('the selector %j matches the label app=a: %s', (expression, expected) => {
  expect(matches({ matchExpressions: [expression] }, { app: 'a' })).toBe(expected);
});
