import { join } from 'node:path';
import { API_GROUP, KINDS } from '@svc-asr/core';
import { eventually } from '../../../test/support/eventually.ts';
import { startKubernetes } from '../../../test/support/kubernetes.ts';
import type { Kubernetes } from '../../../test/support/kubernetes.ts';
import { root } from '../../launch/terminal.mjs';
import { KIND_NAMES } from '../kinds.ts';

const SERVED_WITHIN_MS = 60_000;

/** Starts a Kubernetes API that serves our resources. */
export async function startWithCrds(): Promise<Kubernetes> {
  const cluster = await startKubernetes();
  const names = KINDS.map((kind) => KIND_NAMES[kind].plural);
  const files = names.flatMap((name) => ['-f', join(root, 'crds', `${name}.yaml`)]);
  await cluster.kubectl(['apply', '--server-side', ...files]);
  // A definition is served a moment after it is established, which is a moment after it is there.
  for (const name of names) {
    const list = async () => (await cluster.request('GET', `/apis/${API_GROUP}/v1/${name}`)).status === 200;
    await eventually(`${name} are served`, SERVED_WITHIN_MS, list);
    // kubectl finds a type by its names, which are told a moment later still.
    const find = () => cluster.kubectl(['explain', name]).then(Boolean, () => false);
    await eventually(`${name} are known to kubectl`, SERVED_WITHIN_MS, find);
  }
  return cluster;
}
