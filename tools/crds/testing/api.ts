import { API_GROUP } from '@svc-asr/core';
import type { Kubernetes } from '../../../test/support/kubernetes.ts';
import { demand } from '../../../test/support/kubernetes/request.ts';
import { pluralOf } from '../kinds.ts';
import type { Sent } from './resources.ts';

/** Result of sending a resource to the API server. */
export type Verdict = { ok: true; stored: Sent } | { ok: false; message: string; causes: readonly Cause[] };

interface Cause {
  field?: string;
  message: string;
}

/** Error response of the API server. */
interface Refusal {
  message: string;
  details?: { causes?: readonly Cause[] };
}

/** Client for the resources of one namespace. It uses strict field validation, as kubectl does. */
export interface Api {
  create: (resource: Sent, options?: { dryRun?: boolean }) => Promise<Verdict>;
  /** Replaces a resource in a dry run: the API server validates the request and stores nothing. */
  replace: (resource: Sent) => Promise<Verdict>;
}

/** Creates a client for the resources of a namespace. */
export function createApi({ request }: Kubernetes, namespace: string): Api {
  const folder = ({ kind }: Sent) => `/apis/${API_GROUP}/v1/namespaces/${namespace}/${pluralOf(kind)}`;
  const ask = async (method: string, path: string, resource: Sent): Promise<Verdict> => {
    const { status, body, text } = await request(method, path, resource);
    if (status === 200 || status === 201) return { ok: true, stored: body as Sent };
    // Other statuses are not a validation result, and must not count as a rejection.
    if (status !== 400 && status !== 422) throw new Error(`the API server answered ${status}: ${text}`);
    const { message, details } = body as Refusal;
    return { ok: false, message, causes: details?.causes ?? [] };
  };
  return {
    create: (resource, { dryRun = false } = {}) =>
      ask('POST', `${folder(resource)}?fieldValidation=Strict${dryRun ? '&dryRun=All' : ''}`, resource),
    replace: async (resource) => {
      const path = `${folder(resource)}/${resource.metadata.name}`;
      const { metadata } = (await demand(request('GET', path))) as { metadata: { resourceVersion: string } };
      const { resourceVersion } = metadata;
      const replacement = { ...resource, metadata: { ...resource.metadata, resourceVersion } };
      return ask('PUT', `${path}?fieldValidation=Strict&dryRun=All`, replacement);
    },
  };
}
