import { API_GROUP } from '@svc-asr/core';
import type { Tenant } from '@svc-asr/core';

/** Annotation with the reason why the application was declined. The developer sees it. */
const DECLINE_REASON_ANNOTATION = `${API_GROUP}/decline-reason`;

/**
 * Sets the annotation with the reason of a decline. To remove a reason, set an empty one: the store of the cluster
 * keeps annotations that are missing from an update.
 */
export function withDeclineReason(tenant: Tenant, reason: string): Tenant {
  const annotations = { ...tenant.metadata.annotations, [DECLINE_REASON_ANNOTATION]: reason };
  return { ...tenant, metadata: { ...tenant.metadata, annotations } };
}

/** Returns the reason of a declined application. Null if it was not declined, or was declined without a reason. */
export function declineReasonOf({ metadata, spec }: Tenant): string | null {
  const reason = metadata.annotations?.[DECLINE_REASON_ANNOTATION] ?? '';
  return spec.state === 'Declined' && reason !== '' ? reason : null;
}
