/** Third-party kinds that the chart creates objects of. */
const FOREIGN = [
  { group: 'gateway.networking.k8s.io', kind: 'HTTPRoute', plural: 'httproutes' },
  { group: 'cert-manager.io', kind: 'Certificate', plural: 'certificates' },
  { group: 'monitoring.coreos.com', kind: 'ServiceMonitor', plural: 'servicemonitors' },
  { group: 'monitoring.coreos.com', kind: 'PrometheusRule', plural: 'prometheusrules' },
] as const;

export const FOREIGN_KINDS: readonly string[] = FOREIGN.map(({ kind }) => kind);
/** Definitions of the third-party kinds. They accept any fields. */
export const FOREIGN_DEFINITIONS = FOREIGN.map(define);

function define({ group, kind, plural }: (typeof FOREIGN)[number]): object {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: {
      name: `${plural}.${group}`,
      // The API server rejects groups under k8s.io without this annotation.
      annotations: { 'api-approved.kubernetes.io': 'unapproved, for tests' },
    },
    spec: {
      group,
      scope: 'Namespaced',
      names: { kind, plural, singular: kind.toLowerCase() },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
        },
      ],
    },
  };
}
