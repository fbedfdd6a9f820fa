import { KINDS } from '@svc-asr/core';
import type { Kind } from '@svc-asr/core';
import type { Logger } from '@svc-asr/runtime';
import type { Notices } from '../notices.ts';
import { findUnavailable } from '../failure/unavailable.ts';
import { rootCauseOf } from '../failure/phase-failed.ts';
import { keyOf, partsOf } from '../source/source.ts';
import type { ResourceKey, ResourceSource } from '../source/source.ts';
import type { StatusNews } from './change.ts';
import { findDeletion, findReadiness } from './readiness.ts';
import { findLedger } from './tenant.ts';
import type { StatusWriter } from './writer.ts';

/** Gathers the status of an applied resource, except its readiness. */
export type Gather<K extends Kind> = (name: string) => Promise<Omit<StatusNews<K>, 'generation'>>;

/** Reports the state of resources in their status. */
export interface StatusReporter {
  /** Reports that this generation was applied, and everything else that is known about the resource. */
  applied: (kind: Kind, name: string, generation: number | undefined) => Promise<void>;
  /** Reports that the resource is invalid. */
  refused: (kind: Kind, name: string) => Promise<void>;
  /** Reports why the resource could not be applied. Never rejects. */
  failed: (kind: Kind, name: string, error: unknown) => Promise<void>;
  /** Reports why a deleted resource still exists. Never rejects. */
  waiting: (kind: Kind, name: string, error: unknown) => Promise<void>;
  /** Starts to report changes periodically. */
  start: () => void;
  stop: () => Promise<void>;
}

/** Used for resources without a status. */
export const SILENT_REPORTER: StatusReporter = {
  applied: () => Promise.resolve(),
  refused: () => Promise.resolve(),
  failed: () => Promise.resolve(),
  waiting: () => Promise.resolve(),
  start: () => undefined,
  stop: () => Promise.resolve(),
};

export interface StatusReporterOptions {
  source: Pick<ResourceSource, 'get' | 'problems' | 'list'>;
  writer: StatusWriter;
  gather: { readonly [K in Kind]: Gather<K> };
  /** Interval of the rounds for each kind. */
  intervalMs: Readonly<Record<Kind, number>>;
  notices: Notices;
  logger: Logger;
}

const NOTHING = { fields: {}, findings: [] };
/** Maximum number of resources that are reported at the same time. */
const AT_ONCE = 8;

/** Creates the reporter for resources with a status. */
export function createStatusReporter(options: StatusReporterOptions): StatusReporter {
  const { source, writer, gather, intervalMs, notices, logger } = options;
  /** Resources whose last attempt failed, with the error. */
  const failing = new Map<ResourceKey, unknown>();
  /** Generation of each resource that this process applied last. */
  const appliedGenerations = new Map<ResourceKey, number | undefined>();
  const timers: NodeJS.Timeout[] = [];
  const rounds = new Map<Kind, Promise<void>>();
  let stopped = false;

  async function report(kind: Kind, name: string): Promise<void> {
    const key = keyOf(kind, name);
    const good = source.get(kind, name);
    const problems = source.problems(kind, name);
    const error = failing.get(key);
    const generation = appliedGenerations.get(key);
    // A resource that was not tried yet is not applied, and a deleted one is not reported.
    const isTried = good !== undefined && (error !== undefined || appliedGenerations.has(key));
    if (problems === undefined && !isTried) return;
    const ready = findReadiness(problems, good !== undefined, error);
    const { fields, findings } = good === undefined ? NOTHING : await gather[kind](name);
    const well = ready.status === 'True' && generation !== undefined;
    await writer.report(kind, name, {
      fields: { ...fields, ...(generation !== undefined && { observedGeneration: generation }) },
      // Errors of the resource itself take precedence over their consequences.
      findings: ready.status === 'True' ? [ready, ...findings] : [...findings, ready],
      ...(well && { generation }),
    });
  }

  /** Reports a failure, and LedgerMissing for a Tenant if the ledger is missing. */
  async function reportFailure(kind: Kind, name: string, error: unknown, news: StatusNews): Promise<void> {
    const missing = kind === 'Tenant' && findUnavailable(error) === 'the ledger' ? [findLedger(reasonOf(error))] : [];
    try {
      await writer.report(kind, name, { ...news, findings: [...news.findings, ...missing] });
    } catch (err) {
      logger.debug(
        { err, resource: keyOf(kind, name) },
        'the failure of a resource could not be written to its status',
      );
    }
  }

  /** Reports all resources of a kind. A resource that fails does not block the others. */
  async function round(kind: Kind): Promise<void> {
    forgetDeleted();
    const names = source.list().flatMap((resource) => (resource.kind === kind ? [resource.metadata.name] : []));
    const next = names.values();
    let failure: { err: unknown } | undefined;
    const work = async () => {
      for (const name of next) {
        // If Redis or the API server is unavailable, the remaining resources would fail too.
        if (stopped || findUnavailable(failure?.err) !== undefined) return;
        try {
          await report(kind, name);
        } catch (err) {
          failure = { err };
        }
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    if (failure === undefined) {
      notices.clear(`status ${kind}`);
      return;
    }
    const { err } = failure;
    notices.raise(`status ${kind}`, '', () =>
      logger.warn({ err, resource: kind }, `the status of ${kind} resources could not be written; retrying`),
    );
  }

  function forgetDeleted(): void {
    writer.forgetDeleted();
    for (const known of [failing, appliedGenerations]) {
      for (const key of known.keys()) {
        const { kind, name } = partsOf(key);
        if (source.get(kind, name) === undefined) known.delete(key);
      }
    }
  }

  function startRound(kind: Kind): void {
    if (rounds.has(kind)) return;
    rounds.set(
      kind,
      round(kind).finally(() => rounds.delete(kind)),
    );
  }

  return {
    applied: (kind, name, generation) => {
      failing.delete(keyOf(kind, name));
      appliedGenerations.set(keyOf(kind, name), generation);
      return report(kind, name);
    },
    refused: report,
    failed: async (kind, name, error) => {
      const good = source.get(kind, name);
      if (good === undefined) return;
      failing.set(keyOf(kind, name), error);
      const { generation } = good.metadata;
      // While a dependency is unavailable, a generation that was applied before stays applied.
      const unavailable = findUnavailable(error);
      if (
        unavailable !== undefined &&
        unavailable !== 'the ledger' &&
        writer.current(kind, name).observedGeneration === generation
      )
        return;
      const finding = findReadiness(source.problems(kind, name), true, error);
      await reportFailure(kind, name, error, { fields: {}, findings: [finding] });
    },
    waiting: (kind, name, error) =>
      reportFailure(kind, name, error, { fields: {}, findings: [findDeletion(reasonOf(error))], deleting: true }),
    start: () => {
      if (stopped) return;
      for (const kind of KINDS) timers.push(setInterval(() => startRound(kind), intervalMs[kind]));
    },
    stop: async () => {
      stopped = true;
      for (const timer of timers.splice(0)) clearInterval(timer);
      await Promise.all(rounds.values());
    },
  };
}

function reasonOf(error: unknown): string {
  const cause = rootCauseOf(error);
  return cause instanceof Error ? cause.message : String(cause);
}
