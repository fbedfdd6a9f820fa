import { API_GROUP } from '@svc-asr/core';
import type { Tenant } from '@svc-asr/core';

/** Annotation with the reason why the application was declined. The developer sees it. */
const DECLINE_REASON_ANNOTATION = `${API_GROUP}/decline-reason`;

/** Stores the reason of a decline. An empty reason removes an earlier one, because a store removes no annotations. */
export function withDeclineReason(tenant: Tenant, reason: string): Tenant {
  const annotations = { ...tenant.metadata.annotations, [DECLINE_REASON_ANNOTATION]: reason };
  return { ...tenant, metadata: { ...tenant.metadata, annotations } };
}

/** Returns the reason of a declined application. Null if it was not declined, or without a reason. */
export function declineReasonOf({ metadata, spec }: Tenant): string | null {
  const reason = metadata.annotations?.[DECLINE_REASON_ANNOTATION] ?? '';
  return spec.state === 'Declined' && reason !== '' ? reason : null;
}
