import { KINDS } from '@svc-asr/core';
import type { Kind } from '@svc-asr/core';
import type { Logger } from '@svc-asr/runtime';
import { findUnavailable } from '../failure/unavailable.ts';
import type { Notices } from '../notices.ts';
import type { ResourceSource } from '../source/source.ts';

export interface StatusRoundsOptions {
  source: Pick<ResourceSource, 'list'>;
  /** Reports the status of one resource. */
  report: (kind: Kind, name: string) => Promise<void>;
  /** Called when a round starts. */
  onRound: () => void;
  /** Interval of the rounds for each kind. */
  intervalMs: Readonly<Record<Kind, number>>;
  notices: Notices;
  logger: Logger;
}

/** Maximum number of resources that are reported at the same time. */
const AT_ONCE = 8;

/** Reports all resources of each kind periodically. Rounds of the same kind never overlap. */
export class StatusRounds {
  readonly #options: StatusRoundsOptions;
  readonly #timers: NodeJS.Timeout[] = [];
  readonly #running = new Map<Kind, Promise<void>>();
  #stopped = false;

  constructor(options: StatusRoundsOptions) {
    this.#options = options;
  }

  start(): void {
    if (this.#stopped) return;
    const { intervalMs } = this.#options;
    for (const kind of KINDS) this.#timers.push(setInterval(() => this.#startRound(kind), intervalMs[kind]));
  }

  /** Resolves when the running rounds have ended. */
  async stop(): Promise<void> {
    this.#stopped = true;
    for (const timer of this.#timers.splice(0)) clearInterval(timer);
    await Promise.all(this.#running.values());
  }

  #startRound(kind: Kind): void {
    if (this.#running.has(kind)) return;
    this.#running.set(
      kind,
      this.#round(kind).finally(() => this.#running.delete(kind)),
    );
  }

  async #round(kind: Kind): Promise<void> {
    const { onRound, notices, logger } = this.#options;
    onRound();
    const failure = await this.#reportAll(kind);
    if (failure === undefined) {
      notices.clear(`status ${kind}`);
      return;
    }
    const { err } = failure;
    notices.raise(`status ${kind}`, '', () =>
      logger.warn({ err, resource: kind }, `the status of ${kind} resources could not be written; retrying`),
    );
  }

  /** Reports all resources of a kind and returns the last error. A resource that fails does not block the others. */
  async #reportAll(kind: Kind): Promise<{ err: unknown } | undefined> {
    const { source, report } = this.#options;
    const names = source.list().flatMap((resource) => (resource.kind === kind ? [resource.metadata.name] : []));
    const next = names.values();
    let failure: { err: unknown } | undefined;
    const work = async () => {
      for (const name of next) {
        // If Redis or the API server is unavailable, the remaining resources would fail too.
        if (this.#stopped || findUnavailable(failure?.err) !== undefined) return;
        try {
          await report(kind, name);
        } catch (err) {
          failure = { err };
        }
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    return failure;
  }
}
