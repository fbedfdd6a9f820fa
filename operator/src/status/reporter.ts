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

/** Gathers what is known of a resource that is in force, beside whether it is. */
export type Gather<K extends Kind> = (name: string) => Promise<Omit<StatusNews<K>, 'generation'>>;

/** Tells the state of resources to whoever reads it in their status. */
export interface StatusReporter {
  /** This generation of the resource was brought into force: tells so, and what else is known of it. */
  applied: (kind: Kind, name: string, generation: number | undefined) => Promise<void>;
  /** The resource is wrong, and was never right as far as is known: tells so. */
  refused: (kind: Kind, name: string) => Promise<void>;
  /** The resource could not be brought into force: tells why. Never fails. */
  failed: (kind: Kind, name: string, error: unknown) => Promise<void>;
  /** The resource is deleted and could not be brought out of force yet: tells why it is still there. Never fails. */
  waiting: (kind: Kind, name: string, error: unknown) => Promise<void>;
  /** Begins to tell what changes by itself. */
  start: () => void;
  stop: () => Promise<void>;
}

/** For resources that have no status. */
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
  /** How often each kind is looked at. */
  intervalMs: Readonly<Record<Kind, number>>;
  notices: Notices;
  logger: Logger;
}

const NOTHING = { fields: {}, findings: [] };
/** How many resources are looked at together. */
const AT_ONCE = 8;

/** Makes the reporter of resources that have a status. */
export function createStatusReporter(options: StatusReporterOptions): StatusReporter {
  const { source, writer, gather, intervalMs, notices, logger } = options;
  /** Resources whose last try failed, and why. */
  const failing = new Map<ResourceKey, unknown>();
  /** The generation of each resource that this process brought into force last. */
  const inForce = new Map<ResourceKey, number | undefined>();
  const timers: NodeJS.Timeout[] = [];
  const rounds = new Map<Kind, Promise<void>>();
  let stopped = false;

  async function tell(kind: Kind, name: string): Promise<void> {
    const key = keyOf(kind, name);
    const good = source.get(kind, name);
    const problems = source.problems(kind, name);
    const error = failing.get(key);
    const generation = inForce.get(key);
    // What has not been tried yet is not in force, whatever the source has; and what is gone is nobody's concern.
    const isTried = good !== undefined && (error !== undefined || inForce.has(key));
    if (problems === undefined && !isTried) return;
    const ready = findReadiness(problems, good !== undefined, error);
    const { fields, findings } = good === undefined ? NOTHING : await gather[kind](name);
    const well = ready.status === 'True' && generation !== undefined;
    await writer.report(kind, name, {
      fields: { ...fields, ...(generation !== undefined && { observedGeneration: generation }) },
      // What is wrong with the resource itself counts more than what follows from it.
      findings: ready.status === 'True' ? [ready, ...findings] : [...findings, ready],
      ...(well && { generation }),
    });
  }

  /** Tells what is wrong, and that it is the ledger where it is. */
  async function tellTrouble(kind: Kind, name: string, error: unknown, news: StatusNews): Promise<void> {
    const missing = kind === 'Tenant' && findUnavailable(error) === 'the ledger' ? [findLedger(reasonOf(error))] : [];
    try {
      await writer.report(kind, name, { ...news, findings: [...news.findings, ...missing] });
    } catch (err) {
      logger.debug({ err, resource: keyOf(kind, name) }, 'that a resource failed could not be told');
    }
  }

  /** Looks at all resources of a kind; one that cannot be told keeps no other from being told. */
  async function round(kind: Kind): Promise<void> {
    forgetGone();
    const names = source.list().flatMap((resource) => (resource.kind === kind ? [resource.metadata.name] : []));
    const next = names.values();
    let failure: { err: unknown } | undefined;
    const work = async () => {
      for (const name of next) {
        // Where Redis or the API server is away there is no use in asking it for the others.
        if (stopped || findUnavailable(failure?.err) !== undefined) return;
        try {
          await tell(kind, name);
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
      logger.warn({ err, resource: kind }, `the status of ${kind} resources could not be told and is tried again`),
    );
  }

  function forgetGone(): void {
    writer.forgetGone();
    for (const known of [failing, inForce]) {
      for (const key of known.keys()) {
        const { kind, name } = partsOf(key);
        if (source.get(kind, name) === undefined) known.delete(key);
      }
    }
  }

  function begin(kind: Kind): void {
    if (rounds.has(kind)) return;
    rounds.set(
      kind,
      round(kind).finally(() => rounds.delete(kind)),
    );
  }

  return {
    applied: (kind, name, generation) => {
      failing.delete(keyOf(kind, name));
      inForce.set(keyOf(kind, name), generation);
      return tell(kind, name);
    },
    refused: tell,
    failed: async (kind, name, error) => {
      const good = source.get(kind, name);
      if (good === undefined) return;
      failing.set(keyOf(kind, name), error);
      const { generation } = good.metadata;
      // While Redis is away, what was in force before still is.
      const away = findUnavailable(error);
      if (away !== undefined && away !== 'the ledger' && writer.current(kind, name).observedGeneration === generation)
        return;
      const finding = findReadiness(source.problems(kind, name), true, error);
      await tellTrouble(kind, name, error, { fields: {}, findings: [finding] });
    },
    waiting: (kind, name, error) =>
      tellTrouble(kind, name, error, { fields: {}, findings: [findDeletion(reasonOf(error))], leaving: true }),
    start: () => {
      if (stopped) return;
      for (const kind of KINDS) timers.push(setInterval(() => begin(kind), intervalMs[kind]));
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
