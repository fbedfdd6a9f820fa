import { countCrash, describeCrashes } from '../crashes.ts';
import type { Crashes } from '../crashes.ts';
import type { StartFailure } from '../runtime.ts';
import type { RevisionTier } from '../template.ts';
import { isRefusal } from './refusal.ts';
import { SecretError } from './secret/model-secret.ts';

/** Returns the key of a revision, or of one of its tiers, in the list of failures. */
export function failureKey({ revision, tier }: Pick<RevisionTier, 'revision' | 'tier'>): string {
  return tier === undefined ? revision : `${revision}/${tier}`;
}

/**
 * Failures of revisions and tiers that the state of the cluster does not show. Their causes are objects that the API
 * server refused, a Secret that could not be built, or workers that had to be stopped.
 */
export class RevisionFailures {
  readonly #refusals = new Map<string, StartFailure>();
  readonly #crashes = new Map<string, Crashes>();
  readonly #nowMs: () => number;

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  /** Call when objects of a revision could not be written. Temporary errors are ignored. */
  refused(revision: string, error: unknown): void {
    if (error instanceof SecretError) this.#refusals.set(revision, { reason: 'SecretFailed', message: error.message });
    if (!isRefusal(error)) return;
    this.#refusals.set(revision, {
      reason: error.reason,
      message: `the API server rejected an object of the workers: ${error.message}`,
    });
  }

  /** Call when writing the objects of a revision did not fail. Rejected tiers are recorded separately. */
  accepted(revision: string): void {
    this.#refusals.delete(revision);
  }

  /** Call when the objects of a revision or tier were written, or could not be written because of an error. */
  written(revision: string, error?: unknown): void {
    if (error === undefined) this.accepted(revision);
    else this.refused(revision, error);
  }

  /** Call when a worker has to stop because it failed. */
  crashed(revision: string, how: string): void {
    const crash = { how, readyForMs: undefined, nowMs: this.#nowMs() };
    this.#crashes.set(revision, countCrash(this.#crashes.get(revision), crash));
  }

  /**
   * Call when a worker accepts sessions. Forgets the crashes of its revision if the worker started after the last
   * crash.
   */
  confirmed(revision: string, workerAgeMs: number): void {
    const lastAtMs = this.#crashes.get(revision)?.lastAtMs ?? Infinity;
    if (this.#nowMs() - workerAgeMs > lastAtMs) this.#crashes.delete(revision);
  }

  /** Removes the recorded crashes of a revision. Call it when the revision is not needed any more. */
  forget(revision: string): void {
    for (const key of this.#crashes.keys()) {
      if (key === revision || key.startsWith(`${revision}/`)) this.#crashes.delete(key);
    }
  }

  refusal(revision: string): StartFailure | undefined {
    return this.#refusals.get(revision);
  }

  crashes(revision: string): StartFailure | undefined {
    const message = describeCrashes(this.#crashes.get(revision));
    return message === undefined ? undefined : { reason: 'WorkersFail', message };
  }
}
