import { MAX_AUDIO_SECONDS } from '../audio.ts';
import type { Problem } from '../validate.ts';
import { EARLIEST_EXPIRY } from './apikey.ts';
import type { ApiKey } from './apikey.ts';
import type { AsrModel } from './asrmodel.ts';
import type { Member } from './member.ts';
import { DRAIN_MARGIN_SECONDS, POD_FIELDS } from './asrmodel.ts';
import { findArtifactProblems } from './artifact.ts';
import { findVariableProblems, RESERVED_PREFIX } from './pod.ts';
import type { Tenant } from './tenant.ts';
import { findTierProblems } from './tier.ts';
import { findClaimProblems } from './worker.ts';

/** Returns the problems of a model that its schema cannot detect. The API server checks the same rules with the CRD. */
export function findModelProblems({ metadata, spec }: AsrModel): Problem[] {
  const { maxAudioSeconds, drainSeconds, artifact, hostedBy, worker, scaling } = spec;
  const problems: Problem[] = [];
  const refuse = (field: string, message: string) => problems.push({ field: `spec.${field}`, message });
  const refuseAll = (path: string, found: readonly Problem[]) => {
    for (const { field, message } of found) refuse(field === '' ? path : `${path}.${field}`, message);
  };

  if (maxAudioSeconds !== MAX_AUDIO_SECONDS) refuse('maxAudioSeconds', `must be ${MAX_AUDIO_SECONDS}: leave it out`);
  const shortestDrain = maxAudioSeconds + DRAIN_MARGIN_SECONDS;
  if (drainSeconds < shortestDrain) refuse('drainSeconds', `must be at least ${shortestDrain}`);
  if (scaling.min > scaling.max) refuse('scaling.min', `must not be greater than spec.scaling.max (${scaling.max})`);
  refuseAll('artifact', findArtifactProblems(artifact));
  if (hostedBy === metadata.name) refuse('hostedBy', 'must name another model');
  const ownFields = hostedBy === undefined ? [] : POD_FIELDS.filter((field) => worker[field] !== undefined);
  for (const field of ownFields) refuse(`worker.${field}`, 'must not be set with hostedBy: the host sets it');
  for (const { field, message } of findTierProblems(spec)) refuse(field, message);
  refuseAll('worker', findClaimProblems(worker));
  const env = worker.env ?? [];
  const duplicate = findDuplicate(env.map(({ name }) => name));
  if (duplicate !== undefined) refuse('worker.env', `has the name "${duplicate}" twice`);
  for (const [at, variable] of env.entries()) refuseAll(`worker.env.${at}`, findVariableProblems(variable));
  for (const field of ['podLabels', 'podAnnotations'] as const) {
    const key = Object.keys(worker[field] ?? {}).find((name) => name.startsWith(RESERVED_PREFIX));
    if (key !== undefined) refuse(`worker.${field}`, `has "${key}": ${RESERVED_PREFIX} belongs to the operator`);
  }
  return problems;
}

/** Returns the problems of a tenant that its schema cannot detect. */
export function findTenantProblems({ spec }: Tenant): Problem[] {
  const duplicate = findDuplicate(spec.grants.map(({ id }) => id));
  return duplicate === undefined ? [] : [{ field: 'spec.grants', message: `has the id "${duplicate}" twice` }];
}

/** Returns the problems of a key that its schema cannot detect. */
export function findKeyProblems({ metadata, spec }: ApiKey): Problem[] {
  const problems: Problem[] = [];
  const name = spec.keyId.toLowerCase();
  if (metadata.name !== name) {
    problems.push({ field: 'metadata.name', message: `must be the key id in lower case ("${name}")` });
  }
  if (typeof spec.expiresAt === 'string' && Date.parse(spec.expiresAt) < Date.parse(EARLIEST_EXPIRY)) {
    problems.push({ field: 'spec.expiresAt', message: 'must be a time in the future, such as 2030-01-01T00:00:00Z' });
  }
  return problems;
}

/** Returns the problems of a member that its schema cannot detect. */
export function findMemberProblems({ spec }: Member): Problem[] {
  const { issuer, subject, invitation } = spec;
  if ((issuer === undefined) !== (subject === undefined)) {
    return [{ field: 'spec', message: 'must have both issuer and subject, or neither with an invitation' }];
  }
  if ((issuer === undefined) !== (invitation !== undefined)) {
    return [{ field: 'spec', message: 'must have either issuer and subject or an invitation' }];
  }
  return [];
}

function findDuplicate(names: readonly string[]): string | undefined {
  const seen = new Set<string>();
  return names.find((name) => seen.size === seen.add(name).size);
}
