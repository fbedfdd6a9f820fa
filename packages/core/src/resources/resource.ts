import Type from 'typebox';
import type { Static } from 'typebox';
import type { Checked, Problem } from '../validate.ts';
import { validator } from '../validate.ts';
import { ApiKey } from './apikey.ts';
import { AsrModel } from './asrmodel.ts';
import { API_VERSION } from './metadata.ts';
import { findKeyProblems, findModelProblems, findTenantProblems } from './rules.ts';
import { Tenant } from './tenant.ts';

export const RESOURCE_SCHEMAS = { ASRModel: AsrModel, Tenant, ApiKey } as const;
export type Kind = keyof typeof RESOURCE_SCHEMAS;
export type ResourceOf<K extends Kind> = Static<(typeof RESOURCE_SCHEMAS)[K]>;
export type Resource = AsrModel | Tenant | ApiKey;

export const KINDS = Object.keys(RESOURCE_SCHEMAS) as Kind[];

const VALIDATORS: Record<Kind, (value: unknown) => Checked<Resource>> = {
  ASRModel: validator(Type.Omit(AsrModel, ['status'])),
  Tenant: validator(Type.Omit(Tenant, ['status'])),
  ApiKey: validator(Type.Omit(ApiKey, ['status'])),
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

/** Returns `Kind/name`, the name of a resource in messages and logs. */
export function resourceKey(resource: Resource): string {
  return `${resource.kind}/${resource.metadata.name}`;
}

/** Returns the violations of rules that involve several fields. The CRDs contain the same rules in CEL. */
function rulesBeyondSchema(resource: Resource): Problem[] {
  switch (resource.kind) {
    case 'ASRModel':
      return findModelProblems(resource);
    case 'Tenant':
      return findTenantProblems(resource);
    case 'ApiKey':
      return findKeyProblems(resource);
  }
}

function refuse(field: string, message: string): Checked<never> {
  return { ok: false, problems: [{ field, message }] };
}
