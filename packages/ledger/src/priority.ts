import { TENANT_PRIORITIES } from '@svc-asr/core';
import type { TenantPriority } from '@svc-asr/core';

/**
 * Parses the priority of an account. The field is absent if the priority is normal, and in accounts that earlier
 * versions stored.
 */
export function readPriority(text: unknown): TenantPriority {
  return TENANT_PRIORITIES.find((priority) => priority === text) ?? 'normal';
}
