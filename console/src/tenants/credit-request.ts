import { API_GROUP } from '@svc-asr/core';
import type { Tenant } from '@svc-asr/core';
import type { CreditRequestView } from '../responses.ts';

/**
 * Annotation with the last request for more credit, as JSON. It contains the number of grants at the time of the
 * request. The next grant therefore answers the request, even if an administrator adds the grant with kubectl. A grant
 * with a negative amount corrects another grant, and does not answer the request.
 */
const CREDIT_REQUEST_ANNOTATION = `${API_GROUP}/credit-request`;

interface StoredRequest extends CreditRequestView {
  readonly grants: number;
}

/** Stores a request for more credit. It replaces an earlier one. */
export function withCreditRequest(tenant: Tenant, request: CreditRequestView): Tenant {
  const stored: StoredRequest = { ...request, grants: tenant.spec.grants.length };
  const annotations = { ...tenant.metadata.annotations, [CREDIT_REQUEST_ANNOTATION]: JSON.stringify(stored) };
  return { ...tenant, metadata: { ...tenant.metadata, annotations } };
}

/** Returns the pending request for more credit. Null if there is none, or if credit was granted since. */
export function creditRequestOf({ metadata, spec }: Tenant): CreditRequestView | null {
  const stored = parse(metadata.annotations?.[CREDIT_REQUEST_ANNOTATION] ?? '');
  if (stored === undefined) return null;
  const isAnswered = spec.grants.slice(stored.grants).some(({ audioSeconds }) => audioSeconds > 0);
  if (isAnswered) return null;
  const { at, message, audio_seconds: audioSeconds } = stored;
  return { at, message, audio_seconds: audioSeconds };
}

/** Parses the annotation. Returns undefined if it is not a request, because users of kubectl can write any text. */
function parse(text: string): StoredRequest | undefined {
  try {
    const value = JSON.parse(text) as Partial<StoredRequest> | null;
    if (typeof value?.at !== 'string' || Number.isNaN(Date.parse(value.at))) return undefined;
    if (typeof value.message !== 'string' || typeof value.grants !== 'number') return undefined;
    const { audio_seconds: audioSeconds } = value;
    return {
      at: value.at,
      message: value.message,
      audio_seconds: typeof audioSeconds === 'number' ? audioSeconds : null,
      grants: value.grants,
    };
  } catch {
    return undefined;
  }
}
