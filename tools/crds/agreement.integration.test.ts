import { checkResource, describeProblems, KINDS } from '@svc-asr/core';
import type { Kind } from '@svc-asr/core';
import fc from 'fast-check';
import { borrowKubernetes, KUBERNETES_TIMEOUT_MS } from '../../test/support/kubernetes.ts';
import type { Kubernetes } from '../../test/support/kubernetes.ts';
import { buildSchema } from './definition.ts';
import { createApi } from './testing/api.ts';
import type { Api } from './testing/api.ts';
import { breakValue } from './testing/broken.ts';
import type { Sent } from './testing/resources.ts';
import { resourcesOf } from './testing/valid.ts';

/** Seed of the generated resources. It is fixed, so that every run checks the same resources. */
const SEED = 20_260;
const RUNS: Readonly<Record<Kind, number>> = { ASRModel: 300, Tenant: 150, ApiKey: 150, Member: 150 };
const NAMES = ['', 'x'.repeat(63), 'x'.repeat(64), 'a.b', 'A', '-a', 'a-', 'a_b', 'ĩ'];

let cluster: Kubernetes;
let api: Api;

beforeAll(async () => {
  cluster = await borrowKubernetes();
  api = createApi(cluster, await cluster.createNamespace());
}, KUBERNETES_TIMEOUT_MS);
afterAll(() => cluster.stop(), KUBERNETES_TIMEOUT_MS);

test.each(KINDS)(
  'checkResource and the API server agree about generated %s resources, valid or with one error',
  async (kind) => {
    const verdicts = { accepted: 0, refused: 0 };
    const picks = fc.array(fc.nat(), { minLength: 12, maxLength: 12 });
    const broken = fc.tuple(resourcesOf(kind), picks).map(([resource, numbers]) => breakOne(kind, resource, numbers));
    await fc.assert(
      fc.asyncProperty(fc.oneof(resourcesOf(kind), { arbitrary: broken, weight: 2 }), async (resource) => {
        const checked = checkResource(resource);
        const verdict = await api.create(resource, { dryRun: true });
        verdicts[checked.ok ? 'accepted' : 'refused']++;
        expect({ ok: checked.ok, why: checked.ok ? '' : describeProblems(checked.problems) }).toEqual({
          ok: verdict.ok,
          why: expect.any(String),
        });
        if (checked.ok && verdict.ok) expect(verdict.stored.spec).toEqual(checked.value.spec);
      }),
      { seed: SEED, numRuns: RUNS[kind] },
    );
    // Both results must be frequent, because a rare result would hardly be tested.
    expect(Math.min(verdicts.accepted, verdicts.refused)).toBeGreaterThan(RUNS[kind] / 10);
  },
  KUBERNETES_TIMEOUT_MS,
);

/** Returns the resource with one change in its name or its spec. */
function breakOne(kind: Kind, resource: Sent, [which = 0, ...picks]: number[]): Sent {
  const name = NAMES[which % (10 * NAMES.length)];
  if (name !== undefined) return { ...resource, metadata: { name } };
  const schema = buildSchema(kind).properties?.spec ?? {};
  return { ...resource, spec: breakValue(schema, resource.spec, picks.values()) as Sent['spec'] };
}
