import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import type { Kubernetes } from '../kubernetes.ts';

export interface Rule {
  apiGroups: string[];
  resources: string[];
  verbs: string[];
}

/** Reads the RBAC rules that the chart gives to a service. */
export function readChartRules(service: 'operator' | 'console'): Rule[] {
  return readRules(`${service}-rules`);
}

/** Reads the rules that the chart gives to the operator for all namespaces. */
export function readClusterRules(): Rule[] {
  return readRules('operator-node-rules');
}

function readRules(name: string): Rule[] {
  const file = join(import.meta.dirname, '../../../charts/svc-asr/files', `${name}.yaml`);
  return parse(readFileSync(file, 'utf8')) as Rule[];
}

/**
 * Grants exactly these rules to a service account of a namespace, and the cluster rules for all namespaces. Returns the
 * path of its kubeconfig.
 */
export async function grantRules(
  kubernetes: Kubernetes,
  namespace: string,
  name: string,
  rules: readonly Rule[],
  clusterRules: readonly Rule[] = [],
): Promise<string> {
  const kubeconfig = await kubernetes.kubeconfigFor(namespace, name);
  const group = 'rbac.authorization.k8s.io';
  const roleAndBinding = (
    prefix: '' | 'Cluster',
    metadata: { name: string; namespace?: string },
    granted: readonly Rule[],
  ) => [
    { apiVersion: `${group}/v1`, kind: `${prefix}Role`, metadata, rules: granted },
    {
      apiVersion: `${group}/v1`,
      kind: `${prefix}RoleBinding`,
      metadata,
      roleRef: { apiGroup: group, kind: `${prefix}Role`, name: metadata.name },
      subjects: [{ kind: 'ServiceAccount', name, namespace }],
    },
  ];
  const items = [
    ...roleAndBinding('', { name, namespace }, rules),
    ...roleAndBinding('Cluster', { name: `${namespace}-${name}` }, clusterRules),
  ];
  await kubernetes.kubectl(['apply', '-f', '-'], JSON.stringify({ apiVersion: 'v1', kind: 'List', items }));
  return kubeconfig;
}
