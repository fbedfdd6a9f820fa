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
    const served = `/apis/${spec.group}/${spec.versions[0]?.name}/${spec.names.plural}`;
    const isServed = async () => (await request('GET', served)).status === 200;
    await eventually(`${metadata.name} is served`, SERVED_WITHIN_MS, isServed);
  }
  // The API server serves a type shortly after it is created. kubectl can resolve the name of the type only a moment
  // later.
  const names = items.map(({ metadata }) => metadata.name).join(',');
  const find = () =>
    kubectl(['get', names, '--all-namespaces']).then(
      () => true,
      () => false,
    );
  await eventually(`kubectl knows ${names}`, SERVED_WITHIN_MS, find);
}
