import { randomInt as randomIntOf } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { Tenant } from '@svc-asr/core';
import { ConsoleError } from '../errors.ts';
import { appendGrants } from '../tenants/grants.ts';
import { buildTenant, patchTenant } from '../tenants/tenant.ts';
import { declineReasonOf, withDeclineReason } from '../tenants/decline-reason.ts';

/** An applicant and the intended use. */
export interface Applicant {
  readonly name: string;
  readonly email: string;
  readonly organisation?: string;
  readonly use: string;
}

/** Credit, models and limits that an approval gives to a tenant. */
export interface Welcome {
  /** Initial credit in seconds that the administrator requested. */
  readonly requested: number | undefined;
  /** Initial credit in seconds if none was requested. */
  readonly fallback: number;
  /** Models that the tenant may use. By default unchanged. */
  readonly models?: readonly string[] | undefined;
  /** Limits to change, in the form of `spec.limits` of the Tenant. */
  readonly limits?: object | undefined;
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
 * Approves the application. Returns the same tenant if it is already active with the requested credit, models and
 * limits. Throws `application_decided` for any other active tenant, and for a suspended one.
 */
export function approve(tenant: Tenant, { requested, fallback, models, limits }: Welcome): Tenant {
  const changed = patchTenant(tenant, { ...(models && { models }), ...(limits && { limits }) });
  const { state, grants } = tenant.spec;
  const granted = grants.find(({ id }) => id === WELCOME_GRANT)?.audioSeconds ?? 0;
  const isSame = isDeepStrictEqual(changed.spec, tenant.spec) && (requested ?? granted) === granted;
  if (state === 'Active' && isSame) return tenant;
  if (state !== 'Waitlisted' && state !== 'Declined') throw applicationDecided(tenant);
  const audioSeconds = requested ?? fallback;
  const added = audioSeconds > 0 ? appendGrants(grants, [{ id: WELCOME_GRANT, audioSeconds }]) : grants;
  const active = { ...changed, spec: { ...changed.spec, state: 'Active' as const, grants: added } };
  return withDeclineReason(active, '');
}

/**
 * Declines the application. Returns the same tenant if it is declined already, unless another reason is given. Without
 * a reason, an earlier reason stays. Throws `application_decided` if the tenant is active or suspended.
 */
export function decline(tenant: Tenant, reason?: string): Tenant {
  const { state } = tenant.spec;
  if (state === 'Declined' && (reason === undefined || reason === declineReasonOf(tenant))) return tenant;
  if (state !== 'Waitlisted' && state !== 'Declined') throw applicationDecided(tenant);
  const declined: Tenant = { ...tenant, spec: { ...tenant.spec, state: 'Declined' } };
  return reason === undefined ? declined : withDeclineReason(declined, reason);
}

function applicationDecided({ metadata, spec }: Tenant): ConsoleError {
  return new ConsoleError('application_decided', {
    message: `The tenant ${metadata.name} is ${spec.state}: it has no pending application. Change its state instead.`,
  });
}

/** Derives a readable name. With the random suffix, it is hard to guess and rarely taken. */
function nameFor(displayName: string, randomInt: (max: number) => number): string {
  const plain = displayName.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
  const stem = plain.replace(/[^a-z0-9]+/g, '-').slice(0, STEM_CHARACTERS);
  const suffix = Array.from({ length: SUFFIX_CHARACTERS }, () => randomInt(36).toString(36)).join('');
  return `${stem.replace(/^-+|-+$/g, '') || 'tenant'}-${suffix}`;
}
