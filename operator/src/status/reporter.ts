import type { ReconciledKind } from '@svc-asr/core';
import type { Logger } from '@svc-asr/runtime';
import type { Notices } from '../notices.ts';
import { findUnavailable } from '../failure/unavailable.ts';
import { rootCauseOf } from '../failure/phase-failed.ts';
import { keyOf } from '../source/source.ts';
import type { ResourceSource } from '../source/source.ts';
import type { StatusNews } from './change.ts';
import { findDeletion, findDuplicate, findReadiness } from './readiness.ts';
import { StatusRounds } from './rounds.ts';
import { findLedger } from './tenant.ts';
import type { StatusScope, StatusWriter } from './writer.ts';

/** Gathers the status of a valid resource, except whether it was applied. */
export type Gather<K extends ReconciledKind> = (name: string) => Promise<Omit<StatusNews<K>, 'generation'>>;

/** Reports the state of resources in their status. */
export interface StatusReporter {
  /** Reports that this generation was applied, and everything else that is known about the resource. */
  applied: (kind: ReconciledKind, name: string, generation: number | undefined) => Promise<void>;
  /** Reports that the resource is invalid, or that its name belongs to another resource. */
  refused: (kind: ReconciledKind, name: string) => Promise<void>;
  /** Reports why the resource could not be applied. Never rejects. */
  failed: (kind: ReconciledKind, name: string, error: unknown) => Promise<void>;
  /** Reports why a deleted resource still exists. Never rejects. */
  waiting: (kind: ReconciledKind, name: string, error: unknown) => Promise<void>;
  /** Starts to report changes periodically. */
  start: () => void;
  stop: () => Promise<void>;
}

/** Reporter for resources without a status. */
export const SILENT_REPORTER: StatusReporter = {
  applied: () => Promise.resolve(),
  refused: () => Promise.resolve(),
  failed: () => Promise.resolve(),
  waiting: () => Promise.resolve(),
  start: () => undefined,
  stop: () => Promise.resolve(),
};

export interface StatusReporterOptions {
  source: Pick<ResourceSource, 'get' | 'problems' | 'list' | 'isDuplicate'>;
  writer: StatusWriter;
  gather: { readonly [K in ReconciledKind]: Gather<K> };
  /** Interval at which all resources of a kind are reported. */
  intervalMs: Readonly<Record<ReconciledKind, number>>;
  notices: Notices;
  logger: Logger;
}

const NOTHING = { fields: {}, findings: [] };

/** Writes the state of resources to their status. */
export class ResourceStatusReporter implements StatusReporter {
  readonly #options: StatusReporterOptions;
  readonly #rounds: StatusRounds;
  /** Resources whose last attempt failed, with the error. */
  readonly #failing = createMaps<unknown>();
  /** Generation that this process applied last, by resource. */
  readonly #appliedGenerations = createMaps<number | undefined>();

  constructor(options: StatusReporterOptions) {
    const { source, intervalMs, notices, logger } = options;
    this.#options = options;
    this.#rounds = new StatusRounds({
      source,
      report: (kind, name) => this.#report(kind, name, 'all'),
      onRound: (kind) => this.#forgetPast(kind),
      intervalMs,
      notices,
      logger,
    });
  }

  applied(kind: ReconciledKind, name: string, generation: number | undefined): Promise<void> {
    this.#failing[kind].delete(name);
    this.#appliedGenerations[kind].set(name, generation);
    return this.#report(kind, name, 'urgent');
  }

  refused(kind: ReconciledKind, name: string): Promise<void> {
    // Also writes slow fields and messages. Otherwise only the rounds of rounds.ts write them, and these rounds do not
    // visit a resource that was never valid.
    return this.#report(kind, name, 'all');
  }

  async failed(kind: ReconciledKind, name: string, error: unknown): Promise<void> {
    const { source } = this.#options;
    const good = source.get(kind, name);
    if (good === undefined) return;
    this.#failing[kind].set(name, error);
    if (isOutage(error) && this.#isReportedAsApplied(kind, name, good.metadata.generation)) return;
    const finding = findReadiness(source.problems(kind, name), true, error);
    await this.#reportFailure(kind, name, error, { fields: {}, findings: [finding] });
  }

  waiting(kind: ReconciledKind, name: string, error: unknown): Promise<void> {
    const findings = [findDeletion(reasonOf(error))];
    return this.#reportFailure(kind, name, error, { fields: {}, findings, deleting: true });
  }

  start(): void {
    this.#rounds.start();
  }

  stop(): Promise<void> {
    return this.#rounds.stop();
  }

  /**
   * Writes everything that is known about a resource. Does nothing if the resource was deleted, or if there was no
   * attempt to apply it yet.
   */
  async #report(kind: ReconciledKind, name: string, scope: StatusScope): Promise<void> {
    const { source, writer, gather } = this.#options;
    const good = source.get(kind, name);
    const problems = source.problems(kind, name);
    const error = this.#failing[kind].get(name);
    const generation = this.#appliedGenerations[kind].get(name);
    const isTried = good !== undefined && (error !== undefined || this.#appliedGenerations[kind].has(name));
    if (problems === undefined && !isTried) return;
    const ready =
      problems !== undefined && source.isDuplicate(kind, name)
        ? findDuplicate(problems)
        : findReadiness(problems, good !== undefined, error);
    const { fields, findings } = good === undefined ? NOTHING : await gather[kind](name);
    const well = ready.status === 'True' && generation !== undefined;
    const news = {
      fields: { ...fields, ...(generation !== undefined && { observedGeneration: generation }) },
      // The last finding of a type wins. If the resource itself has an error, `ready` therefore takes precedence over a
      // Ready condition in `findings`.
      findings: ready.status === 'True' ? [ready, ...findings] : [...findings, ready],
      ...(well && { generation }),
    };
    await writer.report(kind, name, news, scope);
  }

  /** Writes a failure. If the ledger is missing, also writes the condition LedgerMissing of a Tenant. Never rejects. */
  async #reportFailure(kind: ReconciledKind, name: string, error: unknown, news: StatusNews): Promise<void> {
    const { writer, logger } = this.#options;
    const missing = kind === 'Tenant' && findUnavailable(error) === 'the ledger' ? [findLedger(reasonOf(error))] : [];
    try {
      await writer.report(kind, name, { ...news, findings: [...news.findings, ...missing] }, 'all');
    } catch (err) {
      logger.debug(
        { err, resource: keyOf(kind, name) },
        'the failure of a resource could not be written to its status',
      );
    }
  }

  #isReportedAsApplied(kind: ReconciledKind, name: string, generation: number | undefined): boolean {
    return this.#options.writer.current(kind, name).observedGeneration === generation;
  }

  #forgetPast(kind: ReconciledKind): void {
    const { source, writer } = this.#options;
    writer.forgetPast();
    for (const known of [this.#failing[kind], this.#appliedGenerations[kind]]) {
      for (const name of known.keys()) if (source.get(kind, name) === undefined) known.delete(name);
    }
  }
}

/** Creates one map for each kind. The keys of a map are resource names. */
function createMaps<T>(): Readonly<Record<ReconciledKind, Map<string, T>>> {
  return { ASRModel: new Map<string, T>(), Tenant: new Map<string, T>(), ApiKey: new Map<string, T>() };
}

/**
 * Returns whether Redis or the API server is unreachable, or this operator is not the leader. A generation that was
 * applied before is then still reported as applied.
 */
function isOutage(error: unknown): boolean {
  const unavailable = findUnavailable(error);
  return unavailable !== undefined && unavailable !== 'the ledger';
}

function reasonOf(error: unknown): string {
  const cause = rootCauseOf(error);
  return cause instanceof Error ? cause.message : String(cause);
}
