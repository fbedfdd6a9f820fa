import { setTimeout as sleep } from 'node:timers/promises';
import { LedgerUnavailable, replay } from '@svc-asr/ledger';
import type { Account, JournalEntry, Ledger } from '@svc-asr/ledger';
import type { LostTail } from './replication.ts';
import type { Timeline } from './timeline.ts';

/** An entry of the journal in Redis, and the time at which the checker first read it. */
export interface SeenEntry extends JournalEntry {
  readonly seenAtMs: number;
}

const CHECK_MS = 50;
const JOURNAL_MS = 500;
const PAGE = 500;
/**
 * Time after a failover within which the checker reads every account. If the checker reads a decrease of consumed
 * credit after this time, the decrease has another cause.
 */
const NOTICED_WITHIN_MS = 2000;

/** Reads every account about every 50 ms while the service runs, and collects the journals. */
export class LedgerChecker {
  readonly #ledger: Ledger;
  readonly #tenants: readonly string[];
  readonly #timeline: Timeline;
  readonly #last = new Map<string, Account>();
  readonly #journals = new Map<string, SeenEntry[]>();
  readonly #firstSeen = new Map<string, number>();
  #isStopped = false;
  readonly #loops: readonly Promise<void>[];
  /** Times at which the consumed credit of an account was lower than before. Only a failover may cause that. */
  readonly #decreases: { readonly atMs: number; readonly text: string }[] = [];
  /** Number of reads of accounts. */
  reads = 0;

  constructor(ledger: Ledger, tenants: readonly string[], timeline: Timeline) {
    this.#ledger = ledger;
    this.#tenants = tenants;
    this.#timeline = timeline;
    this.#loops = [
      this.#repeat(CHECK_MS, (tenant) => this.#check(tenant)),
      this.#repeat(JOURNAL_MS, (tenant) => this.readJournal(tenant)),
    ];
  }

  /** Returns the journal entries of a tenant, the oldest first. */
  journal(tenant: string): readonly SeenEntry[] {
    return this.#journals.get(tenant) ?? [];
  }

  /** Adds the new entries of a journal. */
  async readJournal(tenant: string): Promise<void> {
    const known = this.#journals.get(tenant) ?? [];
    this.#journals.set(tenant, known);
    for (;;) {
      const after = known.at(-1)?.id;
      const page = await this.#ledger.journal.read(tenant, { count: PAGE, ...(after !== undefined && { after }) });
      // Another call may have added the same page meanwhile.
      if (known.at(-1)?.id !== after) continue;
      for (const entry of page) known.push({ ...entry, seenAtMs: this.#seenAt(tenant, entry.id) });
      if (page.length < PAGE) return;
    }
  }

  /**
   * Removes the entries that were first read at `fromMs` or later, so that the next call of `readJournal` reads them
   * again. A failover may have removed some of these entries from Redis.
   */
  forgetSince(fromMs: number): void {
    for (const known of this.#journals.values()) {
      const kept = known.findIndex(({ seenAtMs }) => seenAtMs >= fromMs);
      if (kept !== -1) known.length = kept;
    }
  }

  /**
   * Stops reading, then compares each account with the sum of its journal. Adds a violation for each difference, and
   * for each decrease of consumed credit that no failover explains. `tails` are the periods whose writes failovers may
   * have lost.
   */
  async stop(tails: readonly LostTail[]): Promise<void> {
    this.#isStopped = true;
    await Promise.all(this.#loops);
    for (const { atMs, text } of this.#decreases) {
      const isExplained = tails.some(({ fromMs, toMs }) => fromMs <= atMs && toMs >= atMs - NOTICED_WITHIN_MS);
      if (!isExplained) this.#timeline.violate(`${text} at ${(atMs / 1000).toFixed(2)} s`);
    }
    for (const tenant of this.#tenants) {
      await this.readJournal(tenant);
      const account = await this.#ledger.accounts.read(tenant);
      const sum = replay(this.journal(tenant));
      const { grantedMs, reservedMs, consumedMs } = account ?? { grantedMs: 0, reservedMs: 0, consumedMs: 0 };
      if (grantedMs !== sum.granted || reservedMs !== sum.reserved || consumedMs !== sum.consumed) {
        this.#timeline.violate(`the journal of ${tenant} has ${JSON.stringify(sum)}, its account ${brief(account)}`);
      }
    }
  }

  /** Returns when an entry was first read. After a failover, the entry may be read again. */
  #seenAt(tenant: string, id: string): number {
    const key = `${tenant} ${id}`;
    const seenAtMs = this.#firstSeen.get(key) ?? this.#timeline.nowMs;
    this.#firstSeen.set(key, seenAtMs);
    return seenAtMs;
  }

  async #repeat(ms: number, act: (tenant: string) => Promise<void>): Promise<void> {
    while (!this.#isStopped) {
      await Promise.all(this.#tenants.map(act)).catch((error: unknown) => {
        // While an injected fault makes Redis unavailable, nothing can be read. That is not a violation.
        if (!(error instanceof LedgerUnavailable))
          this.#timeline.violate(`an account cannot be read: ${String(error)}`);
      });
      await sleep(ms);
    }
  }

  async #check(tenant: string): Promise<void> {
    const account = await this.#ledger.accounts.read(tenant);
    this.reads++;
    const before = this.#last.get(tenant);
    const problem = findProblem(before, account);
    if (problem !== undefined) this.#timeline.violate(`${tenant} ${problem}: ${brief(account)}`);
    if (before !== undefined && account !== undefined && account.consumedMs < before.consumedMs) {
      const text = `${tenant} had consumed more (${before.consumedMs} ms): ${brief(account)}`;
      this.#decreases.push({ atMs: this.#timeline.nowMs, text });
      this.#timeline.add(text);
    }
    if (account !== undefined) this.#last.set(tenant, account);
  }
}

/** Returns what is wrong with an account. `before` is its earlier state. */
export function findProblem(before: Account | undefined, account: Account | undefined): string | undefined {
  if (account === undefined) return before === undefined ? undefined : 'has lost its account';
  const { grantedMs, availableMs, reservedMs, consumedMs } = account;
  if (availableMs + reservedMs + consumedMs !== grantedMs) return 'does not add up';
  if (Math.min(availableMs, reservedMs, consumedMs) < 0) return 'has a negative amount';
  if (before === undefined) return undefined;
  return grantedMs === before.grantedMs ? undefined : `had other grants (${before.grantedMs} ms)`;
}

function brief(account: Account | undefined): string {
  if (account === undefined) return 'none';
  const { grantedMs, availableMs, reservedMs, consumedMs } = account;
  return JSON.stringify({ grantedMs, availableMs, reservedMs, consumedMs });
}
