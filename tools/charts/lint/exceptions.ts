import type { Linter } from './linters.ts';

/** Findings of a linter that we accept, with the reason. */
export interface Exception {
  linter: Linter;
  check: string;
  /**
   * Pattern for the accepted findings. It is matched against `KIND NAME: MESSAGE`, with the kind and name of the
   * object.
   */
  where: RegExp;
  reason: string;
}

export const EXCEPTIONS: readonly Exception[] = [
  {
    linter: 'kube-score',
    check: 'container-resources',
    where: /CPU limit is not set/,
    reason: 'CPU limits throttle a process within its request, which delays audio. Requests divide the CPU fairly.',
  },
  {
    linter: 'kube-score',
    check: 'container-ephemeral-storage-request-and-limit',
    where: /Ephemeral Storage (limit|request) is not set/,
    reason: 'Root file systems are read-only, volumes in /tmp have a sizeLimit, and kubelets rotate logs.',
  },
  {
    linter: 'kube-score',
    check: 'container-image-pull-policy',
    where: /ImagePullPolicy is not set to Always/,
    reason: 'Tags of releases never change. With Always, no pod starts while the registry is unavailable.',
  },
  {
    linter: 'kube-score',
    check: 'networkpolicy-targets-pod',
    where: /NetworkPolicy svc-asr-loadtest/,
    reason: 'Its pod is in loadtest/job.yaml, which is not part of the chart.',
  },
  {
    linter: 'kube-score',
    check: 'statefulset-has-servicename',
    where: /StatefulSet svc-asr-redis/,
    reason: 'Redis is reached through Services with addresses, so no pod has a name in DNS of its own.',
  },
  {
    linter: 'kube-score',
    check: 'service-targets-pod',
    where: /Service svc-asr-redis-\d/,
    reason: 'Each of these Services selects one pod by a label that Kubernetes adds to the pods of a StatefulSet.',
  },
  {
    linter: 'kube-score',
    check: 'statefulset-has-host-podantiaffinity',
    where: /StatefulSet svc-asr-redis/,
    reason: 'topologySpreadConstraints spread the pods over nodes and zones.',
  },
  {
    linter: 'kube-score',
    check: 'deployment-replicas',
    where: /Deployment svc-asr-console/,
    reason: 'Streams do not need the console. One pod is enough for a small installation.',
  },
  {
    linter: 'kube-score',
    check: 'deployment-has-host-podantiaffinity',
    where: /Deployment/,
    reason: 'topologySpreadConstraints spread the pods over nodes and zones.',
  },
  {
    linter: 'kube-linter',
    check: 'no-anti-affinity',
    where: /Deployment/,
    reason: 'topologySpreadConstraints spread the pods over nodes and zones.',
  },
  {
    linter: 'kube-linter',
    check: 'env-var-secret',
    where: /variable (SECRETS|SESSION_SECRETS_FILE|WORKER_(CA|OWN|REDIS|TICKET_PUBLIC_KEYS)_SECRETS?) /,
    reason: 'The values are paths of mounted files or names of Secrets. No variable contains a secret.',
  },
  {
    linter: 'kube-linter',
    check: 'no-anti-affinity',
    where: /StatefulSet svc-asr-redis/,
    reason: 'topologySpreadConstraints spread the pods over nodes and zones.',
  },
  {
    linter: 'kube-linter',
    check: 'unset-cpu-requirements',
    where: /has cpu limit 0/,
    reason: 'CPU limits throttle a process within its request, which delays audio. Requests divide the CPU fairly.',
  },
  {
    linter: 'kube-linter',
    check: 'dangling-service',
    where: /Service svc-asr-redis-\d/,
    reason: 'Each of these Services selects one pod by a label that Kubernetes adds to the pods of a StatefulSet.',
  },
];
