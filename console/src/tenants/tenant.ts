import { API_VERSION, checkResource, describeProblems } from '@svc-asr/core';
import type { Tenant } from '@svc-asr/core';
import { ConsoleError } from '../errors.ts';
import { appendGrants } from './grants.ts';
import { mergePatch } from './merge-patch.ts';

/** Builds a Tenant from a name and the spec of a request. Checks the spec and fills in defaults. */
export function buildTenant(name: string, spec: unknown): Tenant {
  const checked = checkResource({ apiVersion: API_VERSION, kind: 'Tenant', metadata: { name }, spec });
  if (checked.ok) return checked.value as Tenant;
  const problems = checked.problems.map(({ field, message }) => ({ field: field.replace(/^spec\.?/, ''), message }));
  throw new ConsoleError('invalid_parameters', { message: `${describeProblems(problems)}.` });
}

/** Applies a merge patch to the spec of a tenant. Grants that the patch does not list are kept. */
export function patchTenant(current: Tenant, patch: unknown): Tenant {
  return replaceTenant(current, buildTenant(current.metadata.name, mergePatch(current.spec, patch)));
}

/** Replaces the spec of a tenant. Grants that the new spec does not list are kept. */
export function replaceTenant(current: Tenant | undefined, wanted: Tenant): Tenant {
  const grants = appendGrants(current?.spec.grants ?? [], wanted.spec.grants);
  return { ...(current ?? wanted), spec: { ...wanted.spec, grants } };
}
