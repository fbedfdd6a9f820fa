import type { Ledger, PurgeAnswer } from '@svc-asr/ledger';
import type { Logger } from '@svc-asr/runtime';
import type { JournalKeeper } from '../journal/keeper.ts';
import { countTenantLines, removeTenantLines } from '../journal/tenant-lines.ts';
import type { Checkpoints } from '../ledger/checkpoints.ts';
import { Passes } from '../passes.ts';
import type { Applied } from '../reconcile/applied.ts';
import type { WorkKey } from '../reconcile/work.ts';
import { keyOf } from '../source/source.ts';
import type { ResourceSource } from '../source/source.ts';

export interface PurgeTaskOptions {
  purge: Pick<Ledger['purge'], 'count' | 'countStreams' | 'remove'>;
  requests: Ledger['purge']['requests'];
  accounts: Pick<Ledger['accounts'], 'read'>;
  apiKeys: Pick<Ledger['apiKeys'], 'find'>;
  source: Pick<ResourceSource, 'get' | 'list' | 'unsettled'>;
  applied: Pick<Applied, 'names' | 'note'>;
  checkpoints: Pick<Checkpoints, 'countOf' | 'remove'>;
  journal: Pick<JournalKeeper, 'runBetweenPasses'>;
  /** Path of the folder of the exported journal. Empty string if the journal is not exported. */
  journalFolder: string;
  enqueue: (key: WorkKey) => void;
  intervalMs: number;
  logger: Logger;
}

type Counts = Record<string, number>;

/**
 * Answers the requests of the console to count or remove all data of a tenant. A removal runs as a phase of the
 * reconcile of its Tenant. A Tenant of the same name that is created during the removal is therefore applied only
 * afterwards.
 */
export class PurgeTask {
  readonly #options: PurgeTaskOptions;
  #requested = new Set<string>();
  readonly #passes = new Passes(() => this.#answer());

  constructor(options: PurgeTaskOptions) {
    this.#options = options;
  }

  start(): void {
    this.#passes.start();
  }

  /** Resolves when the current pass over the requests has ended. */
  stop(): Promise<void> {
    return this.#passes.stop();
  }

  /** Returns whether the removal of a tenant's data was requested. False while the source may be incomplete. */
  isRequested(tenant: string): boolean {
    return this.#requested.has(tenant) && this.#options.source.unsettled() === undefined;
  }

  /** Reads the purge requests. Answers each `check` and `count`, and enqueues the tenant of each `remove`. */
  async poll(): Promise<void> {
    const { requests, enqueue } = this.#options;
    const open = await requests.list();
    this.#requested = new Set(open.flatMap(({ tenant, action }) => (action === 'remove' ? [tenant] : [])));
    for (const tenant of this.#requested) enqueue(keyOf('Tenant', tenant));
    for (const request of open) {
      const { tenant, action } = request;
      if (action === 'remove') continue;
      const remaining = action === 'count' ? await this.#count(tenant) : {};
      await requests.answer(request, { liveSessions: await this.#countLive(tenant), removed: {}, remaining });
    }
  }

  /** Removes all data of a tenant whose account was closed, if the request to do so still exists. */
  async remove(tenant: string): Promise<void> {
    const { requests, logger } = this.#options;
    if (!this.isRequested(tenant)) return;
    // The request may have been withdrawn since the last poll.
    const open = await requests.list();
    const request = open.find((one) => one.tenant === tenant && one.action === 'remove');
    if (request === undefined) return;
    await this.#checkKeys(tenant);
    const answer = await this.#removeAll(tenant).finally(() => this.#enqueueKeys(tenant));
    await requests.answer(request, answer);
    this.#requested.delete(tenant);
    if (answer.liveSessions > 0) return;
    logger.warn({ tenant, amount: sum(answer.removed) }, `purged ${tenant}; ${sum(answer.remaining)} traces are left`);
  }

  async #answer(): Promise<number> {
    const { intervalMs, logger } = this.#options;
    await this.poll().catch((err: unknown) => logger.debug({ err }, 'requests for purges could not be answered'));
    return intervalMs;
  }

  /**
   * Throws while an ApiKey of the tenant exists or is being revoked, because its reconcile may write the key's record
   * again.
   */
  async #checkKeys(tenant: string): Promise<void> {
    const { source, applied, apiKeys } = this.#options;
    const present = source.list('ApiKey').find((resource) => resource.spec.tenant === tenant);
    if (present !== undefined) throw new Error(`the ApiKey ${present.metadata.name} of ${tenant} still exists`);
    for (const name of applied.names('ApiKey')) {
      if (source.get('ApiKey', name) !== undefined) continue;
      const record = await apiKeys.find(applied.note('ApiKey', name) ?? '');
      if (record?.tenant === tenant) throw new Error(`the ApiKey ${name} of ${tenant} is being revoked`);
    }
  }

  /**
   * Enqueues the ApiKeys of a new tenant that has the name of the removed tenant. If such a key was created during the
   * removal, the removal may have deleted its record.
   */
  #enqueueKeys(tenant: string): void {
    const { source, enqueue } = this.#options;
    for (const { kind, metadata, spec } of source.list()) {
      if (kind === 'ApiKey' && spec.tenant === tenant) enqueue(keyOf(kind, metadata.name));
    }
  }

  /** Removes all data, and then counts the data that remains. Removes nothing while the tenant has live sessions. */
  async #removeAll(tenant: string): Promise<PurgeAnswer> {
    const { purge, checkpoints, journal, journalFolder } = this.#options;
    const liveSessions = await this.#countLive(tenant);
    if (liveSessions > 0) return { liveSessions, removed: {}, remaining: {} };
    // No pass of the journal keeper runs during the removal. Otherwise, a pass could export entries that it had read
    // before their removal.
    const removed: Counts = await journal.runBetweenPasses(async () => ({
      ...(await purge.remove(tenant)),
      journal_lines: journalFolder === '' ? 0 : await removeTenantLines(journalFolder, tenant),
    }));
    removed.checkpoints = await checkpoints.countOf(tenant);
    await checkpoints.remove(tenant);
    return { liveSessions, removed, remaining: await this.#count(tenant) };
  }

  /** Counts the stored data of a tenant, with a new scan of Redis and of the files. */
  async #count(tenant: string): Promise<Counts> {
    const { purge, checkpoints, journalFolder } = this.#options;
    return {
      ...(await purge.count(tenant)),
      journal_lines: journalFolder === '' ? 0 : await countTenantLines(journalFolder, tenant),
      checkpoints: await checkpoints.countOf(tenant),
    };
  }

  /**
   * Returns the number of live sessions of a tenant, or the number of streams that gateways still serve for it if that
   * is higher. A stream may outlast its session.
   */
  async #countLive(tenant: string): Promise<number> {
    const { accounts, purge } = this.#options;
    const account = await accounts.read(tenant);
    return Math.max(account?.liveSessions ?? 0, await purge.countStreams(tenant));
  }
}

function sum(counts: Readonly<Record<string, number>>): number {
  return Object.values(counts).reduce((total, count) => total + count, 0);
}
