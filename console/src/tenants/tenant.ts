import { API_VERSION, checkResource, describeProblems } from '@svc-asr/core';
import type { Tenant } from '@svc-asr/core';
import { ConsoleError } from '../errors.ts';
import { appendGrants } from './grants.ts';

/** A Tenant resource of a name and a spec as it came from a request: checked, defaults filled in. */
export function buildTenant(name: string, spec: unknown): Tenant {
  const checked = checkResource({ apiVersion: API_VERSION, kind: 'Tenant', metadata: { name }, spec });
  if (checked.ok) return checked.value as Tenant;
  const problems = checked.problems.map(({ field, message }) => ({ field: field.replace(/^spec\.?/, ''), message }));
  throw new ConsoleError('invalid_parameters', { message: `${describeProblems(problems)}.` });
}

/** The tenant that replaces another of its name: a new spec, in which no grant that was there is missing. */
export function replaceTenant(current: Tenant | undefined, wanted: Tenant): Tenant {
  const grants = appendGrants(current?.spec.grants ?? [], wanted.spec.grants);
  return { ...(current ?? wanted), spec: { ...wanted.spec, grants } };
}
