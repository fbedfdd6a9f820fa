import { randomUUID } from 'node:crypto';
import type { PurgeAnswer, PurgeRequest } from '@svc-asr/ledger';
import { ConsoleError } from '../errors.ts';
import type { LedgerView } from '../ledger-view.ts';
import { pollUntil } from '../poll.ts';
import type { PollOptions } from '../poll.ts';
import { isName } from '../resources/object.ts';
import type { ResourceStore, TenantTraces, Unreadable } from '../resources/store.ts';
import { checkWritable } from './delete.ts';

export interface PurgeDeps {
  store: ResourceStore;
  ledger: Pick<LedgerView, 'purge'>;
}

type Counts = Readonly<Record<string, number>>;

/** Report of a purge, as the admin API returns it. */
export interface PurgeReport {
  object: 'purge';
  tenant: string;
  /** True if nothing was removed, because the request did not confirm the removal. */
  dry_run: boolean;
  live_sessions: number;
  /** Number of removed keys and entries in Redis, journal lines and resources, by kind. Empty for a dry run. */
  removed: Counts;
  /** Number of keys and entries in Redis, journal lines and resources that exist after the request, by kind. */
  remaining: Counts;
  /** Files that may contain data of the tenant but cannot be read. */
  unreadable: readonly Unreadable[];
  /** True if nothing remains and everything could be read. */
  complete: boolean;
}

/**
 * Maximum time to wait until the operator has checked for live sessions. Without an answer, the console assumes that no
 * operator is running.
 */
const CHECK_TIMEOUT_MS = 60_000;

/** Counts the data of a tenant. */
export async function countTenant(deps: PurgeDeps, name: string, polling: PollOptions): Promise<PurgeReport> {
  checkName(name);
  const left = startTimer(polling);
  await check(deps, name, left());
  const answer = await ask(deps, name, 'count', left());
  return buildReport(name, true, {}, answer, await deps.store.traces(name));
}

/**
 * Removes all data of a tenant, and then counts the remaining data. It is safe to repeat after a failure. Throws
 * `tenant_has_live_sessions` if the tenant has live sessions. If these sessions started during the purge, the resources
 * of the tenant are already deleted, but nothing was removed from Redis. Calls `onDelete` before the first deletion.
 */
export async function purgeTenant(
  deps: PurgeDeps,
  name: string,
  polling: PollOptions,
  onDelete: () => void,
): Promise<PurgeReport> {
  const { store } = deps;
  checkName(name);
  const left = startTimer(polling);
  const found = await store.traces(name);
  checkIdle(name, found, await check(deps, name, left()));
  await deleteResources(store, name, found, onDelete);
  const areDeleted = async () => Object.values(countResources(await store.traces(name))).every((count) => count === 0);
  if (!(await pollUntil(areDeleted, left()))) {
    throw new ConsoleError('operator_unavailable', {
      message: `The operator has not released the resources of ${name} yet. Check that it is running, and repeat the request.`,
    });
  }
  const answer = await ask(deps, name, 'remove', left());
  const after = await store.traces(name);
  checkIdle(name, after, answer);
  return buildReport(name, false, countResources(found), answer, after);
}

function checkName(name: string): void {
  if (!isName(name)) throw new ConsoleError('invalid_parameters', { message: `"${name}" is not a name of a tenant.` });
}

/** Returns a function that returns the polling options with the time that is left. */
function startTimer({ timeoutMs, intervalMs }: PollOptions): () => PollOptions {
  const deadline = performance.now() + timeoutMs;
  return () => ({ timeoutMs: Math.max(0, deadline - performance.now()), intervalMs });
}

/**
 * Asks the operator to count live sessions. Counting and purging both start with this request, because the operator
 * answers it quickly. If the operator is stopped, they fail here and not only after the timeout of a long request.
 */
function check(deps: PurgeDeps, name: string, { timeoutMs, intervalMs }: PollOptions): Promise<PurgeAnswer> {
  return ask(deps, name, 'check', { timeoutMs: Math.min(timeoutMs, CHECK_TIMEOUT_MS), intervalMs });
}

/** Sends a request to the operator and waits for its answer. */
async function ask(
  { ledger: { purge } }: PurgeDeps,
  tenant: string,
  action: PurgeRequest['action'],
  polling: PollOptions,
): Promise<PurgeAnswer> {
  const { requests } = purge;
  const request = { tenant, id: randomUUID(), action };
  let answer: PurgeAnswer | undefined;
  try {
    await requests.submit(request, polling.timeoutMs);
    await pollUntil(async () => {
      answer = await requests.answerTo(request);
      return answer !== undefined;
    }, polling);
  } finally {
    // If this fails, the request expires.
    await requests.withdraw(request).catch(() => undefined);
  }
  if (answer === undefined) throw new ConsoleError('operator_unavailable');
  return answer;
}

function checkIdle(name: string, { tenants }: TenantTraces, { liveSessions }: PurgeAnswer): void {
  if (liveSessions === 0) return;
  const sessions = liveSessions === 1 ? '1 live session' : `${liveSessions} live sessions`;
  const advice =
    tenants === 0
      ? 'Gateways still serve its streams. Repeat the request when they have ended'
      : `Wait until they end, or delete the tenant first, which ends them (svc-asr admin tenants delete ${name})`;
  throw new ConsoleError('tenant_has_live_sessions', {
    message: `${name} has ${sessions}, and nothing was removed from Redis. ${advice}.`,
  });
}

/**
 * Deletes the tenant last. After an interruption, the tenant therefore still exists, and the purge can be repeated.
 * Otherwise, remaining keys and members would belong to a later tenant of the same name.
 */
async function deleteResources(
  store: ResourceStore,
  name: string,
  traces: TenantTraces,
  onDelete: () => void,
): Promise<void> {
  const { keyNames, memberNames } = traces;
  const [tenants, keys, members] = await Promise.all([
    store.list('Tenant'),
    store.list('ApiKey'),
    store.list('Member'),
  ]);
  checkWritable([
    ...tenants.filter(({ resource }) => resource.metadata.name === name),
    ...keys.filter(({ resource }) => keyNames.includes(resource.metadata.name)),
    ...members.filter(({ resource }) => memberNames.includes(resource.metadata.name)),
  ]);
  onDelete();
  for (const key of keyNames) await store.delete('ApiKey', key);
  for (const member of memberNames) await store.delete('Member', member);
  await store.delete('Tenant', name);
}

function countResources({ tenants, keyNames, memberNames }: TenantTraces): Counts {
  return {
    tenant_resources: tenants,
    api_key_resources: keyNames.length,
    member_resources: memberNames.length,
  };
}

function buildReport(
  tenant: string,
  isDryRun: boolean,
  removedResources: Counts,
  { liveSessions, removed, remaining }: PurgeAnswer,
  traces: TenantTraces,
): PurgeReport {
  const all = { ...countResources(traces), ...remaining };
  const isEmpty = Object.values(all).every((count) => count === 0);
  return {
    object: 'purge',
    tenant,
    dry_run: isDryRun,
    live_sessions: liveSessions,
    removed: { ...removedResources, ...removed },
    remaining: all,
    unreadable: traces.unreadable,
    complete: isEmpty && traces.unreadable.length === 0,
  };
}
