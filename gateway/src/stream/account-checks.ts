import type { Ledger, Owner } from '@svc-asr/ledger';
import { accountEnded } from './ending.ts';
import type { Stream } from './stream.ts';

/**
 * Number of accounts that are read in parallel. Reading one by one is slow, and reading all at once would block the
 * event loop.
 */
const ACCOUNTS_AT_ONCE = 32;

/** Ends the streams of sessions that their tenants have cancelled. */
export async function endCancelled(ledger: Ledger, owner: Owner, live: ReadonlySet<Stream>): Promise<void> {
  const cancelled = new Set(await ledger.sessionAccess.cancelled(owner));
  for (const stream of live) {
    const { sessionId, chain } = stream.session;
    const current = chain?.sessionId ?? sessionId;
    if (!cancelled.has(current)) continue;
    stream.cancel();
    await ledger.sessionAccess.forget(owner, current);
  }
}

/** Ends the streams of accounts that are no longer active, for example because they were suspended or deleted. */
export async function endSuspended({ accounts }: Ledger, live: ReadonlySet<Stream>): Promise<void> {
  const tenants = [...new Set([...live].map(({ session }) => session.tenant))];
  for (let from = 0; from < tenants.length; from += ACCOUNTS_AT_ONCE) {
    const some = tenants.slice(from, from + ACCOUNTS_AT_ONCE);
    const states = await Promise.all(some.map((tenant) => accounts.state(tenant)));
    const ended = new Map(some.map((tenant, at) => [tenant, states[at]] as const));
    for (const stream of live) {
      const state = ended.get(stream.session.tenant);
      if (state !== undefined && state !== 'Active') stream.endWithFinal(accountEnded(state));
    }
  }
}
