/** Kinds of others that the chart makes objects of, open inside: what they may hold is theirs to say. */
export const FOREIGN_DEFINITIONS = [
  define('gateway.networking.k8s.io', 'HTTPRoute', 'httproutes'),
  define('cert-manager.io', 'Certificate', 'certificates'),
  define('monitoring.coreos.com', 'ServiceMonitor', 'servicemonitors'),
  define('monitoring.coreos.com', 'PrometheusRule', 'prometheusrules'),
];

function define(group: string, kind: string, plural: string): object {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: {
      name: `${plural}.${group}`,
      // Without it groups under k8s.io are refused.
      annotations: { 'api-approved.kubernetes.io': 'unapproved, for tests' },
    },
    spec: {
      group,
      scope: 'Namespaced',
      names: { kind, plural, singular: kind.toLowerCase() },
      versions: [
        {
          ...{ name: 'v1', served: true, storage: true },
          schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
        },
      ],
    },
  };
}
