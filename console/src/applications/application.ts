import { randomInt as randomIntOf } from 'node:crypto';
import type { Tenant } from '@svc-asr/core';
import { ConsoleError } from '../errors.ts';
import { appendGrants } from '../tenants/grants.ts';
import { buildTenant } from '../tenants/tenant.ts';

/** An applicant and the intended use. */
export interface Applicant {
  readonly name: string;
  readonly email: string;
  readonly organisation?: string;
  readonly use: string;
}

/** Initial credit in seconds: the amount that the administrator requested, or the default. */
export interface Welcome {
  readonly requested: number | undefined;
  readonly fallback: number;
}

/** Id of the grant that an approval adds. It is always the same, so that approving twice grants the credit once. */
export const WELCOME_GRANT = 'welcome';

const SUFFIX_CHARACTERS = 6;
const STEM_CHARACTERS = 40;

/** Builds the waitlisted Tenant of an application. */
export function buildApplication(applicant: Applicant, randomInt: (max: number) => number = randomIntOf): Tenant {
  const { name, email, use } = applicant;
  const organisation = applicant.organisation?.trim() ?? '';
  const displayName = organisation === '' ? name : organisation;
  return buildTenant(nameFor(displayName, randomInt), {
    displayName,
    state: 'Waitlisted',
    contact: { name, email, ...(organisation !== '' && { organisation }), use },
  });
}

/**
 * Approves the application. Returns the same tenant if it is approved already, and throws if another amount was
 * granted.
 */
export function approve(tenant: Tenant, { requested, fallback }: Welcome): Tenant {
  const { state, grants } = tenant.spec;
  const granted = grants.find(({ id }) => id === WELCOME_GRANT)?.audioSeconds ?? 0;
  if (state === 'Active' && (requested === undefined || requested === granted)) return tenant;
  if (state !== 'Waitlisted' && state !== 'Declined') throw applicationDecided(tenant);
  const audioSeconds = requested ?? fallback;
  const added = audioSeconds > 0 ? appendGrants(grants, [{ id: WELCOME_GRANT, audioSeconds }]) : grants;
  return { ...tenant, spec: { ...tenant.spec, state: 'Active', grants: added } };
}

/** Declines the application. Returns the same tenant if it is declined already. */
export function decline(tenant: Tenant): Tenant {
  if (tenant.spec.state === 'Declined') return tenant;
  if (tenant.spec.state !== 'Waitlisted') throw applicationDecided(tenant);
  return { ...tenant, spec: { ...tenant.spec, state: 'Declined' } };
}

function applicationDecided({ metadata, spec }: Tenant): ConsoleError {
  return new ConsoleError('application_decided', {
    message: `The tenant ${metadata.name} is ${spec.state}: it has no pending application. Change its state instead.`,
  });
}

/** Derives a readable name. The random suffix makes it unique and hard to guess. */
function nameFor(displayName: string, randomInt: (max: number) => number): string {
  const plain = displayName.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
  const stem = plain.replace(/[^a-z0-9]+/g, '-').slice(0, STEM_CHARACTERS);
  const suffix = Array.from({ length: SUFFIX_CHARACTERS }, () => randomInt(36).toString(36)).join('');
  return `${stem.replace(/^-+|-+$/g, '') || 'tenant'}-${suffix}`;
}
