import type { Tenant } from '@svc-asr/core';

/** Conditions of a search for tenants. */
export interface TenantSearch {
  /**
   * Part of the name or the display name, or of the contact's name, e-mail address or organisation. Case does not matter.
   */
  readonly search?: string;
  readonly state?: Tenant['spec']['state'];
}

/** Returns true if a tenant meets the conditions. */
export function isWanted({ metadata, spec }: Tenant, { search = '', state }: TenantSearch): boolean {
  if (state !== undefined && spec.state !== state) return false;
  const { name = '', email = '', organisation = '' } = spec.contact ?? {};
  const wanted = search.trim().toLowerCase();
  return [metadata.name, spec.displayName, name, email, organisation].some((text) =>
    text.toLowerCase().includes(wanted),
  );
}
