import Type from 'typebox';
import type { Static } from 'typebox';
import type { Checked, Problem } from '../validate.ts';
import { validator } from '../validate.ts';
import { ApiKey } from './apikey.ts';
import { AsrModel } from './asrmodel.ts';
import { Member } from './member.ts';
import { API_VERSION } from './metadata.ts';
import { findKeyProblems, findMemberProblems, findModelProblems, findTenantProblems } from './rules.ts';
import { Tenant } from './tenant.ts';

export const RESOURCE_SCHEMAS = { ASRModel: AsrModel, Tenant, ApiKey, Member } as const;
export type Kind = keyof typeof RESOURCE_SCHEMAS;
export type ResourceOf<K extends Kind> = Static<(typeof RESOURCE_SCHEMAS)[K]>;
export type Resource = AsrModel | Tenant | ApiKey | Member;

export const KINDS = Object.keys(RESOURCE_SCHEMAS) as Kind[];

/** Kinds that the operator copies to Redis. Members are excluded, because only the console reads and writes them. */
export type ReconciledKind = Exclude<Kind, 'Member'>;
export type ReconciledResource = AsrModel | Tenant | ApiKey;
export const RECONCILED_KINDS = KINDS.filter((kind): kind is ReconciledKind => kind !== 'Member');

const VALIDATORS: Record<Kind, (value: unknown) => Checked<Resource>> = {
  ASRModel: validator(Type.Omit(AsrModel, ['status'])),
  Tenant: validator(Type.Omit(Tenant, ['status'])),
  ApiKey: validator(Type.Omit(ApiKey, ['status'])),
  Member: validator(Member),
};

/**
 * Checks an object that may be one of our resources: first the schema, then the rules that a schema cannot express. The
 * status is not checked. A status that another version of the operator wrote must not make the spec invalid.
 */
export function checkResource(value: unknown): Checked<Resource> {
  const { apiVersion, kind } = (value ?? {}) as { apiVersion?: unknown; kind?: unknown };
  if (apiVersion !== API_VERSION) return refuse('apiVersion', `must be ${API_VERSION}`);
  if (typeof kind !== 'string' || !Object.hasOwn(VALIDATORS, kind)) {
    return refuse('kind', `must be one of ${KINDS.join(', ')}`);
  }
  const checked = VALIDATORS[kind as Kind](value);
  if (!checked.ok) return checked;
  const problems = rulesBeyondSchema(checked.value);
  return problems.length === 0 ? checked : { ok: false, problems };
}

/** Checks a resource like `checkResource`. Also rejects kinds that the operator does not reconcile. */
export function checkReconciled(value: unknown): Checked<ReconciledResource> {
  const checked = checkResource(value);
  if (!checked.ok) return checked;
  const resource = checked.value;
  if (resource.kind === 'Member') return refuse('kind', `must be one of ${RECONCILED_KINDS.join(', ')}`);
  return { ok: true, value: resource };
}

/** Returns `Kind/name`, the name of a resource in messages and logs. */
export function resourceKey(resource: Resource): string {
  return `${resource.kind}/${resource.metadata.name}`;
}

/**
 * Returns the violations of rules that a schema cannot express, such as rules about several fields. The API server
 * checks the same rules with the CRDs.
 */
function rulesBeyondSchema(resource: Resource): Problem[] {
  switch (resource.kind) {
    case 'ASRModel':
      return findModelProblems(resource);
    case 'Tenant':
      return findTenantProblems(resource);
    case 'ApiKey':
      return findKeyProblems(resource);
    case 'Member':
      return findMemberProblems(resource);
  }
}

function refuse(field: string, message: string): Checked<never> {
  return { ok: false, problems: [{ field, message }] };
}
