import { eventually } from '../eventually.ts';
import type { Kubectl } from './kubectl.ts';
import { demand } from './request.ts';
import type { KubeRequest } from './request.ts';

const SERVED_WITHIN_MS = 120_000;

interface Definition {
  metadata: { name: string };
  spec: { group: string; names: { plural: string }; versions: { name: string }[] };
}

/** Applies files of CustomResourceDefinitions and waits until the API server and kubectl know their types. */
export async function applyDefinitions(
  request: KubeRequest,
  kubectl: Kubectl,
  files: readonly string[],
): Promise<void> {
  await kubectl(['apply', '--server-side', ...files.flatMap((file) => ['-f', file])]);
  const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
  const { items } = (await demand(request('GET', path))) as { items: Definition[] };
  for (const { metadata, spec } of items) {
    const { name } = metadata;
    const served = `/apis/${spec.group}/${spec.versions[0]?.name}/${spec.names.plural}`;
    // A type is served shortly after its creation, and kubectl can resolve it a moment later.
    await eventually(`${name} is served`, SERVED_WITHIN_MS, async () => (await request('GET', served)).status === 200);
    const find = () => kubectl(['explain', name]).then(Boolean, () => false);
    await eventually(`${name} is known to kubectl`, SERVED_WITHIN_MS, find);
  }
}
