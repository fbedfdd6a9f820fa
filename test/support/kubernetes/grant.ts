import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import type { Kubernetes } from '../kubernetes.ts';

export interface Rule {
  apiGroups: string[];
  resources: string[];
  verbs: string[];
}

/** Reads the RBAC rules that the chart gives to a service in the namespace of the release. */
export function readChartRules(service: 'operator' | 'console'): Rule[] {
  return [...readRules(`${service}-rules`), ...(service === 'operator' ? readModelRules() : [])];
}

/** Reads the rules that the chart gives to the operator in each further namespace of models. */
export function readModelRules(): Rule[] {
  return readRules('operator-model-rules');
}

/**
 * Reads the rules that the chart gives to the operator for all namespaces. The chart does so only if models may be in
 * further namespaces.
 */
export function readFinalizerRules(): Rule[] {
  return readRules('operator-finalizer-rules');
}

/** Reads the rules that the chart gives to the operator for nodes. */
export function readClusterRules(): Rule[] {
  return readRules('operator-node-rules');
}

function readRules(name: string): Rule[] {
  const file = join(import.meta.dirname, '../../../charts/svc-asr/files', `${name}.yaml`);
  return parse(readFileSync(file, 'utf8')) as Rule[];
}

/**
 * Grants exactly these permissions to a service account: `rules` in its own namespace, and `clusterRules` in all
 * namespaces. Returns the path of a kubeconfig for this account.
 */
export async function grantRules(
  kubernetes: Kubernetes,
  namespace: string,
  name: string,
  rules: readonly Rule[],
  clusterRules: readonly Rule[] = [],
): Promise<string> {
  const kubeconfig = await kubernetes.kubeconfigFor(namespace, name);
  await bindRules(kubernetes, { namespace, name }, rules);
  await apply(kubernetes, buildRole('Cluster', { name: `${namespace}-${name}` }, clusterRules, { namespace, name }));
  return kubeconfig;
}

/** A service account. */
export interface Account {
  namespace: string;
  name: string;
}

/** Grants rules in a namespace to a service account, which may be of another namespace. */
export async function bindRules(
  kubernetes: Kubernetes,
  account: Account,
  rules: readonly Rule[],
  within = account.namespace,
): Promise<void> {
  await apply(kubernetes, buildRole('', { name: account.name, namespace: within }, rules, account));
}

const GROUP = 'rbac.authorization.k8s.io';

/** Builds a role with rules and its binding to a service account. */
function buildRole(
  prefix: '' | 'Cluster',
  metadata: { name: string; namespace?: string },
  rules: readonly Rule[],
  account: Account,
): object[] {
  const binding = {
    apiVersion: `${GROUP}/v1`,
    kind: `${prefix}RoleBinding`,
    metadata,
    roleRef: { apiGroup: GROUP, kind: `${prefix}Role`, name: metadata.name },
    subjects: [{ kind: 'ServiceAccount', name: account.name, namespace: account.namespace }],
  };
  return [{ apiVersion: `${GROUP}/v1`, kind: `${prefix}Role`, metadata, rules }, binding];
}

async function apply(kubernetes: Kubernetes, items: readonly object[]): Promise<void> {
  await kubernetes.kubectl(['apply', '-f', '-'], JSON.stringify({ apiVersion: 'v1', kind: 'List', items }));
}
