import type { V1ConfigMap, V1Deployment, V1NetworkPolicy } from '@kubernetes/client-node';
import {
  childrenOf,
  GUESTS,
  INSTALLATION,
  MODELS,
  PLAIN_INSTALLATION,
  templateOf,
} from '../../../testing/cluster-models.ts';
import { findRefusal } from '../admission/find-refusal.ts';
import { findDeployedSecrets, findSecretReferences } from '../admission/secret-references.ts';

const HOST = MODELS['gpu-url'];

function build(installation = INSTALLATION, guests: readonly object[] = GUESTS) {
  const objects = childrenOf(templateOf(HOST, installation, undefined, guests), installation);
  const kindOf = (kind: string): unknown => objects.find(({ object }) => object.kind === kind)?.object;
  const deployment = kindOf('Deployment') as V1Deployment;
  const { volumes = [], containers = [], initContainers = [] } = deployment.spec?.template.spec ?? {};
  const { data = {} } = kindOf('ConfigMap') as V1ConfigMap;
  return {
    deployment,
    policy: kindOf('NetworkPolicy') as V1NetworkPolicy,
    guests: JSON.parse(data.GUESTS ?? '[]') as Record<string, string | number>[],
    volumes,
    mounts: containers[0]?.volumeMounts ?? [],
    initContainers,
  };
}

describe('the pods of a model with guests', () => {
  test('receive the model files, ports and credentials of each guest', () => {
    const { guests } = build();
    const credentials = (folder: number) => ({
      REDIS_URL_FILE: `/etc/svc-asr/guests/${folder}/url`,
      TLS_CERT_FILE: `/etc/svc-asr/guests/${folder}/tls.crt`,
      TLS_KEY_FILE: `/etc/svc-asr/guests/${folder}/tls.key`,
    });
    expect(guests).toEqual([
      { MODEL: 'guest-claim', SLOTS: 0, MODEL_DIR: '/model-1', PORT: 8447, ...credentials(1) },
      { MODEL: 'guest-path', SLOTS: 30, MODEL_DIR: '/models/g', PORT: 8451, ...credentials(2) },
      { MODEL: 'guest-url', SLOTS: 0, MODEL_DIR: `/artifacts-3/${'e'.repeat(64)}`, PORT: 8455, ...credentials(3) },
    ]);
  });

  test('mount only the Redis URL, the certificate and its private key from the Secret of each guest', () => {
    const { volumes, mounts } = build();
    const items = ['url', 'tls.crt', 'tls.key'].map((key) => ({ key, path: key }));
    const secret = { secretName: 'guest-path-workers', items, defaultMode: 0o440 };
    expect(volumes).toContainEqual({ name: 'guest-2', secret });
    expect(mounts).toContainEqual({ name: 'guest-2', mountPath: '/etc/svc-asr/guests/2', readOnly: true });
  });

  test('have volumes and init containers with unique names', () => {
    const { volumes, initContainers } = build();
    for (const names of [volumes.map(({ name }) => name), initContainers.map(({ name }) => name)]) {
      expect(new Set(names).size).toBe(names.length);
    }
    expect(initContainers.map(({ name }) => name)).toEqual(['fetch-artifact', 'fetch-artifact-3']);
  });

  test('mount no Secret of a guest if there is no TLS and all workers share one Redis user', () => {
    const { guests, volumes } = build(PLAIN_INSTALLATION);
    expect(guests[1]).toEqual({ MODEL: 'guest-path', SLOTS: 30, MODEL_DIR: '/models/g', PORT: 8451 });
    expect(volumes.filter(({ name }) => name.startsWith('guest-'))).toEqual([]);
  });

  test('accept connections of gateways on the ports of all models', () => {
    const { policy } = build();
    const ports = policy.spec?.ingress?.[0]?.ports?.map(({ port }) => port) ?? [];
    expect(ports).toEqual(Array.from({ length: 16 }, (_, at) => 8443 + at));
  });
});

test('the revision of a host changes if its guests change, but not if only the order of the guests changes', () => {
  const revisionOf = (guests: readonly object[]) => templateOf(HOST, INSTALLATION, undefined, guests).revision;
  const [first, second] = GUESTS;
  expect(revisionOf([second, first])).toBe(revisionOf([first, second]));
  expect(new Set([[], [first], [second], [first, second]].map(revisionOf)).size).toBe(4);
});

test('the admission rules for artifacts and Secrets also apply to the guests of a model', () => {
  const template = templateOf(HOST, INSTALLATION, undefined, GUESTS);
  const names = ['model-credentials', 'guest-credentials'];
  const artifactSecrets = (found: { name: string; use: string }[]) =>
    found.filter(({ use }) => use === 'artifact').map(({ name }) => name);
  expect(artifactSecrets(findSecretReferences(template))).toEqual(names);
  expect(artifactSecrets(findDeployedSecrets(build().deployment as never))).toEqual(names);
  expect(findRefusal(template, INSTALLATION)).toBeUndefined();
  const refusal = findRefusal(template, { ...INSTALLATION, ownClaims: ['models'] });
  expect(refusal).toMatchObject({ reason: 'ArtifactClaimRefused' });
  expect(refusal?.message).toContain('guest guest-claim: ');
});
