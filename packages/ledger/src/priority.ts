import { TENANT_PRIORITIES } from '@svc-asr/core';
import type { TenantPriority } from '@svc-asr/core';

/** Parses the priority of an account. The normal one is not stored, and earlier versions store none. */
export function readPriority(text: unknown): TenantPriority {
  return TENANT_PRIORITIES.find((priority) => priority === text) ?? 'normal';
}
