import { createHash } from 'node:crypto';
import type { AsrModel } from '@svc-asr/core';
import type { WorkerTemplate } from './runtime.ts';

const REVISION_CHARACTERS = 12;

/** What the workers of a model are made from; whatever changes it is a new revision. */
export function buildTemplate({ metadata, spec: { artifact, worker } }: AsrModel): WorkerTemplate {
  const text = JSON.stringify({ artifact, worker }, sortKeys);
  const revision = createHash('sha256').update(text).digest('hex').slice(0, REVISION_CHARACTERS);
  return { model: metadata.name, revision, artifact, worker };
}

/** The order in which somebody wrote the fields of an object means nothing. */
function sortKeys(_name: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}
