import { join } from 'node:path';
import { KINDS } from '@svc-asr/core';
import { startKubernetes } from '../../../test/support/kubernetes.ts';
import type { Kubernetes } from '../../../test/support/kubernetes.ts';
import { root } from '../../launch/terminal.mjs';
import { KIND_NAMES } from '../kinds.ts';

/** Starts a Kubernetes API that serves our resources. */
export function startWithCrds(): Promise<Kubernetes> {
  return startKubernetes({ crds: KINDS.map((kind) => join(root, 'crds', `${KIND_NAMES[kind].plural}.yaml`)) });
}
