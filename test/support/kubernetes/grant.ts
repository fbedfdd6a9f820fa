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
  const file = join(import.meta.dirname, '../../../charts/svc-asr/files', `${service}-rules.yaml`);
  return parse(readFileSync(file, 'utf8')) as Rule[];
}

/** Grants exactly these rules to a service account of a namespace. Returns the path of its kubeconfig. */
export async function grantRules(
  kubernetes: Kubernetes,
  namespace: string,
  name: string,
  rules: readonly Rule[],
): Promise<string> {
  const kubeconfig = await kubernetes.kubeconfigFor(namespace, name);
  const group = 'rbac.authorization.k8s.io';
  const metadata = { name, namespace };
  const items = [
    { apiVersion: `${group}/v1`, kind: 'Role', metadata, rules },
    {
      apiVersion: `${group}/v1`,
      kind: 'RoleBinding',
      metadata,
      roleRef: { apiGroup: group, kind: 'Role', name },
      subjects: [{ kind: 'ServiceAccount', name, namespace }],
    },
  ];
  await kubernetes.kubectl(['apply', '-f', '-'], JSON.stringify({ apiVersion: 'v1', kind: 'List', items }));
  return kubeconfig;
}
