import type { Ledger } from '@svc-asr/ledger';
import { eventually } from '../../test/support/eventually.ts';
import { MODEL } from '../../test/support/gateway.ts';
import type { Recording } from '../../test/support/recording.ts';
import { readReference } from './reference.ts';
import type { ChaosTenant } from './tenants.ts';
import type { Timeline } from './timeline.ts';

/** Time without faults and clients after which every session must have ended. */
const QUIET_WITHIN_MS = 90_000;

/**
 * Waits until no session holds credit or a slot. Adds a violation for each account and each worker that does not become
 * free in time. Returns the number of these violations.
 */
export async function checkQuiescence(
  ledger: Ledger,
  tenants: readonly ChaosTenant[],
  timeline: Timeline,
): Promise<number> {
  let locked: string[] = [];
  const startedAtMs = timeline.nowMs;
  await eventually('every session has ended', QUIET_WITHIN_MS, async () => {
    locked = await findLocked(ledger, tenants);
    return locked.length === 0;
  }).catch(() => {
    for (const text of locked) timeline.violate(text);
  });
  timeline.add(`nothing was held ${Math.round(timeline.nowMs - startedAtMs)} ms after the last session`);
  return locked.length;
}

async function findLocked(ledger: Ledger, tenants: readonly ChaosTenant[]): Promise<string[]> {
  const accounts = await Promise.all(tenants.map(({ name }) => ledger.accounts.read(name)));
  const held = accounts.flatMap((account) => {
    if (account === undefined || (account.reservedMs === 0 && account.liveSessions === 0)) return [];
    const { tenant, reservedMs, liveSessions } = account;
    return [`${tenant} is locked: ${reservedMs} ms reserved, ${liveSessions} sessions live`];
  });
  const workers = (await ledger.workers.list(MODEL)).filter(({ active }) => active > 0);
  return [...held, ...workers.map(({ id, active }) => `worker ${id} still has ${active} streams`)];
}

/** Checks that every tenant can use the service after the run. Each tenant uses one of the gateways. */
export async function checkService(
  gatewayUrls: readonly string[],
  tenants: readonly ChaosTenant[],
  expected: readonly Recording[],
  timeline: Timeline,
): Promise<void> {
  for (const [index, tenant] of tenants.entries()) {
    const url = gatewayUrls[index % gatewayUrls.length] ?? '';
    try {
      const got = await readReference(url, tenant);
      if (got.some(({ text }, at) => text !== expected[at]?.text)) {
        timeline.violate(`${tenant.name} got another text after the run`);
      }
    } catch (error) {
      timeline.violate(`${tenant.name} cannot use the service after the run: ${String(error)}`);
    }
  }
}
