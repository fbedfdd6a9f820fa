import { createHash } from 'node:crypto';
import type { AsrModel, Tier } from '@svc-asr/core';

/** Everything that the workers of one revision of a model are created from. */
export interface WorkerTemplate {
  model: string;
  revision: string;
  artifact: AsrModel['spec']['artifact'];
  worker: AsrModel['spec']['worker'];
  /** Further models that the workers serve, sorted by name. Absent if there are none. */
  guests?: readonly GuestTemplate[];
  /** Tiers of the workers, sorted by name. Absent if the model has no tiers. */
  tiers?: readonly TierTemplate[];
  /** Tier of the workers, if the template is for one tier only. */
  tier?: string;
  /** Time that a worker has after SIGTERM to finish or hand over its streams. */
  drainSeconds: number;
  /** Time that pods may wait for a node and their volumes. */
  provisionSeconds: number;
  /** UID of the ASRModel. Undefined if the model comes from a file. */
  uid?: string;
  /** Namespace of the ASRModel. Undefined if the model comes from a file. */
  namespace?: string;
}

/** The workers of one tier. */
export interface TierTemplate {
  name: string;
  /** Settings of the workers. Settings of the tier override those of the model. */
  worker: WorkerTemplate['worker'];
}

/** A model that the workers of another model serve. */
export interface GuestTemplate extends Pick<WorkerTemplate, 'model' | 'artifact'> {
  /** Slots of one worker for this model. With 0, workers measure them. */
  slots: number;
}

/** Identifies a revision of a model. */
export type Revision = Pick<WorkerTemplate, 'model' | 'revision'>;

/** Identifies the workers of a revision, or of one tier of it. */
export type RevisionTier = Pick<WorkerTemplate, 'model' | 'revision' | 'tier'>;

const DIGEST_CHARACTERS = 12;

/**
 * Builds the template of a model. Its revision depends on the artifact, the settings of workers and tiers, and the
 * guests. It does not depend on the size and the priority of a tier.
 */
export function buildTemplate({ metadata, spec }: AsrModel, guestModels: readonly AsrModel[] = []): WorkerTemplate {
  const { artifact, worker, drainSeconds } = spec;
  const { provisionSeconds } = spec.scaling;
  const { name, uid, namespace } = metadata;
  // If there are no guests, the field is absent. Models without guests therefore have the same revision as in versions
  // that did not support guests.
  const guests = guestModels.length > 0 && { guests: guestModels.map(buildGuest).sort(byModel) };
  const tiers = spec.pools && { tiers: spec.pools.map((tier) => buildTier(worker, tier)).sort(byName) };
  const revision = digestOf({ artifact, worker, ...guests, ...tiers });
  const times = { drainSeconds, provisionSeconds };
  const object = { ...(uid !== undefined && { uid }), ...(namespace !== undefined && { namespace }) };
  return { model: name, revision, artifact, worker, ...guests, ...tiers, ...times, ...object };
}

function buildGuest({ metadata, spec: { artifact, worker } }: AsrModel): GuestTemplate {
  return { model: metadata.name, artifact, slots: worker.slots };
}

function buildTier(worker: WorkerTemplate['worker'], tier: Tier): TierTemplate {
  const { name, provider, slots, accelerator, resources, resourceClaims, nodeSelector, tolerations } = tier;
  const { image, runtimeClassName } = tier;
  const own = { accelerator, resources, resourceClaims, nodeSelector, tolerations, image, runtimeClassName };
  const set = Object.entries(own).filter(([, value]) => value !== undefined);
  return { name, worker: { ...worker, provider, slots, ...(Object.fromEntries(set) as Partial<typeof worker>) } };
}

/** Returns a template for each tier, or the template itself if it has no tiers. */
export function splitTiers(template: WorkerTemplate): WorkerTemplate[] {
  const { tiers, ...common } = template;
  if (tiers === undefined) return [template];
  return tiers.map(({ name, worker }) => ({ ...common, tier: name, worker }));
}

function byName(a: TierTemplate, b: TierTemplate): number {
  return a.name < b.name ? -1 : 1;
}

function byModel(a: GuestTemplate, b: GuestTemplate): number {
  return a.model < b.model ? -1 : 1;
}

/** Returns a short digest of a value. The order of object keys does not change it. */
export function digestOf(value: unknown): string {
  const text = JSON.stringify(value, sortKeys);
  return createHash('sha256').update(text).digest('hex').slice(0, DIGEST_CHARACTERS);
}

function sortKeys(_name: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}
