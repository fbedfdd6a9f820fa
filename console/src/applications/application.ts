import { randomInt as randomIntOf } from 'node:crypto';
import type { Tenant } from '@svc-asr/core';
import { ConsoleError } from '../errors.ts';
import { appendGrants } from '../tenants/grants.ts';
import { buildTenant } from '../tenants/tenant.ts';

/** Who applies, and what for. */
export interface Applicant {
  readonly name: string;
  readonly email: string;
  readonly organisation?: string;
  readonly use: string;
}

/** What an approval gives: what the administrator asked for, else the usual. */
export interface Welcome {
  readonly asked: number | undefined;
  readonly usual: number;
}

/** The grant of an approval: an id of its own, so that approving twice gives once. */
export const WELCOME_GRANT = 'welcome';

const SUFFIX_CHARACTERS = 6;
const STEM_CHARACTERS = 40;

/** A Tenant that waits for an administrator's decision. */
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

/** The tenant with its application approved; the same again changes nothing, and another amount is refused. */
export function approve(tenant: Tenant, { asked, usual }: Welcome): Tenant {
  const { state, grants } = tenant.spec;
  const given = grants.find(({ id }) => id === WELCOME_GRANT)?.audioSeconds ?? 0;
  if (state === 'Active' && (asked === undefined || asked === given)) return tenant;
  if (state !== 'Waitlisted' && state !== 'Declined') throw decided(tenant);
  const audioSeconds = asked ?? usual;
  const added = audioSeconds > 0 ? appendGrants(grants, [{ id: WELCOME_GRANT, audioSeconds }]) : grants;
  return { ...tenant, spec: { ...tenant.spec, state: 'Active', grants: added } };
}

/** The tenant with its application declined; the same again changes nothing. */
export function decline(tenant: Tenant): Tenant {
  if (tenant.spec.state === 'Declined') return tenant;
  if (tenant.spec.state !== 'Waitlisted') throw decided(tenant);
  return { ...tenant, spec: { ...tenant.spec, state: 'Declined' } };
}

function decided({ metadata, spec }: Tenant): ConsoleError {
  return new ConsoleError('application_decided', {
    message: `The tenant ${metadata.name} is ${spec.state}: there is no application to decide about. Change its state instead.`,
  });
}

/** A name that people recognize and nobody can guess or take first. */
function nameFor(displayName: string, randomInt: (max: number) => number): string {
  const plain = displayName.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
  const stem = plain.replace(/[^a-z0-9]+/g, '-').slice(0, STEM_CHARACTERS);
  const suffix = Array.from({ length: SUFFIX_CHARACTERS }, () => randomInt(36).toString(36)).join('');
  return `${stem.replace(/^-+|-+$/g, '') || 'tenant'}-${suffix}`;
}
