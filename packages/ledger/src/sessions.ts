import type { SessionEnd, SessionState, TenantPriority } from '@svc-asr/core';
import type { Due } from './due.ts';
import type { RedisKeys } from './keys.ts';
import { LedgerUnavailable } from './redis/link.ts';
import type { RedisLink } from './redis/link.ts';
import { readPriority } from './priority.ts';
import { loadScript } from './scripts.ts';
import { reserveArguments, reserveReply } from './reservation.ts';
import type { Reservation, ReserveOutcome, ReserveReply, ReserveRequest } from './reservation.ts';

const RESERVE = loadScript('reserve');
const CONFIRM = loadScript('confirm');
const CANCEL = loadScript('cancel');
const CONNECT = loadScript('connect');
const DISCONNECT = loadScript('disconnect');
const SETTLE = loadScript('settle');
const FAIL = loadScript('fail');
const CHAIN = loadScript('chain');

export interface SessionOptions {
  /** Lifetime of the credential. */
  ttlMs: number;
  /** Lifetime of a provisional session, after which it is removed. */
  leaseMs: number;
  /** Time for which `sessions.reserve` is refused after `sessions.cancel` was called for the same session. */
  tombstoneMs: number;
}

/** The fields of a reservation that `sessions.confirm` needs. */
export type Confirmable = Pick<Reservation, 'sessionId'>;

/** Gateway process that owns a stream. */
export interface Owner {
  id: string;
  epoch: number;
}

/**
 * Result of `sessions.cancel`. `sessionId` is the session that the attempt held, which may differ from the requested
 * id.
 */
export interface Cancelled {
  outcome: 'cancelled' | 'shared' | 'none' | 'kept';
  sessionId: string;
}

/** Options of `fail`. */
export interface FailOptions {
  /** Id of a connection. If it is set, `fail` ends the session only if the session has this connection. */
  connectionId?: string;
  /**
   * True if the owner was declared dead. If the session is not connected yet, this owner can then no longer connect it.
   */
  refuseOwner?: boolean;
  end?: SessionEnd;
}

/**
 * Result of `sessions.connect`. With `owner_dead`, the gateway was declared dead. The credential is then not consumed,
 * and another gateway can use it.
 */
export type Connected =
  | { outcome: 'ok'; model: string; reservedMs: number; priority: TenantPriority }
  | { outcome: 'refused' | 'owner_dead' | 'inactive' };

/**
 * Result of `sessions.settle` or `sessions.fail`. With `already`, the session had ended before, and the other fields
 * describe that end. With `stale`, the session has another owner or connection. With `not_connected`, the session is
 * not active, for example because a failover of Redis has lost the write that connected it.
 */
export type Ended =
  | { outcome: 'ok' | 'already'; state: SessionState; audioMs: number; billableMs: number; model: string }
  | { outcome: 'stale' | 'not_connected' | 'unknown' };

/** Request to continue a stream in another session. */
export interface ChainRequest {
  tenant: string;
  /** Id of the session whose reservation is used up. */
  sessionId: string;
  owner: Owner;
  /** Id of the next session. A repeated request must have the same id. */
  nextId: string;
  /** Seconds of audio that the next session should reserve. */
  seconds: number;
  /** Id of the first session of the stream. */
  chainId: string;
}

/**
 * Result of `sessions.chain`. Every outcome except `ok` leaves the session unchanged. With `credit`, the account has
 * less than one second of credit. With `stale`, the session is not active, another gateway owns it, or the gateway was
 * declared dead.
 */
export type Chained =
  | { outcome: 'ok'; reservedMs: number }
  | { outcome: 'credit' | 'inactive' | 'cancelled' | 'stale' };

/** Options of `sessions.settle`. */
export interface SettleOptions {
  end?: SessionEnd;
  /**
   * Division of the audio into sessions of at most `ms` milliseconds. The settled session is the first one. `ids` are
   * the ids of the other sessions. There are enough ids for the whole reservation.
   */
  parts?: { ms: number; ids: readonly string[] };
}

/** Creates the transitions of a session. Each one changes the session in one script and is safe to repeat. */
export function createSessions(link: RedisLink, keys: RedisKeys, due: Due, options: SessionOptions) {
  /** Creates a provisional session, or returns the session that the same Idempotency-Key created. */
  async function reserve(request: ReserveRequest): Promise<ReserveOutcome> {
    for (let attempts = 0; ; attempts++) {
      const marked = await due.mark(request.tenant, [options.leaseMs, options.ttlMs]);
      const args = reserveArguments(request, options, marked);
      const reply = (await link.run(RESERVE, keys.account(request.tenant), args)) as ReserveReply;
      if (reply[0] !== 'unmarked') return reserveReply(reply);
      // The estimate of the clock was wrong, or writing the mark took too long. The script has returned the correct
      // time.
      due.observe(Number(reply[1]));
      if (attempts === 3) throw new LedgerUnavailable('Redis is too slow: a mark was outdated four times in a row');
    }
  }

  /** Confirms a provisional session. Returns false if the session was removed or has ended. */
  async function confirm(tenant: string, { sessionId }: Confirmable): Promise<boolean> {
    return (await link.run(CONFIRM, keys.account(tenant), [sessionId])) === 'ok';
  }

  /**
   * Cancels one attempt to create a session. Attempts with the same Idempotency-Key share a session. Its reservation is
   * rolled back when the last of these attempts is cancelled.
   */
  async function cancel(request: {
    tenant: string;
    sessionId: string;
    attempt: string;
    idempotencyKey: string | undefined;
    reason: string;
    /** True to remove a provisional session even if other attempts hold it. */
    forAll?: boolean;
  }): Promise<Cancelled> {
    const { tenant, sessionId, attempt, idempotencyKey, reason, forAll } = request;
    const args = [sessionId, attempt, idempotencyKey ?? '', options.tombstoneMs, reason, forAll === true ? 1 : 0];
    const [outcome, held] = (await link.run(CANCEL, keys.account(tenant), args)) as string[];
    return { outcome: outcome as Cancelled['outcome'], sessionId: held ?? sessionId };
  }

  /** Consumes a credential. If several connections use the same credential, only one of them gets `ok`. */
  async function connect(request: {
    tenant: string;
    sessionId: string;
    credentialHash: string;
    owner: Owner;
    connectionId: string;
  }): Promise<Connected> {
    const { tenant, sessionId, credentialHash, owner, connectionId } = request;
    const args = [sessionId, credentialHash, owner.id, owner.epoch, connectionId];
    const [outcome, model, reservedMs, priority] = (await link.run(CONNECT, keys.account(tenant), args)) as unknown[];
    if (outcome !== 'ok') return { outcome: outcome as 'refused' | 'owner_dead' | 'inactive' };
    return { outcome, model: String(model), reservedMs: Number(reservedMs), priority: readPriority(priority) };
  }

  /**
   * Rolls back a call of `connect` that got no answer. Returns true if the call had succeeded. If the session has
   * ended, also releases the capacity that the pool holds for it. Safe to repeat.
   */
  async function disconnect(tenant: string, sessionId: string, connectionId: string): Promise<boolean> {
    const reply = (await link.run(DISCONNECT, keys.account(tenant), [sessionId, connectionId])) as string[];
    const [outcome, endedModel = ''] = reply;
    if (endedModel !== '') await link.send(keys.holds(endedModel), ['ZREM', keys.holds(endedModel), sessionId]);
    return outcome === 'ok';
  }

  /** Settles a session whose reservation is used up and reserves the next one for the same stream, in one script. */
  async function chain(request: ChainRequest): Promise<Chained> {
    const { tenant, sessionId, owner, nextId, seconds, chainId } = request;
    const args = [sessionId, owner.id, owner.epoch, nextId, seconds, chainId];
    const [outcome, reservedMs] = (await link.run(CHAIN, keys.account(tenant), args)) as unknown[];
    if (outcome === 'ok') return { outcome, reservedMs: Number(reservedMs) };
    return { outcome: outcome as Exclude<Chained['outcome'], 'ok'> };
  }

  /** Ends an active session normally and charges the accepted audio. */
  async function settle(
    tenant: string,
    id: string,
    owner: Owner,
    samples: number,
    reason: string,
    { end, parts }: SettleOptions = {},
  ): Promise<Ended> {
    const division = parts === undefined ? [] : [parts.ms, ...parts.ids];
    const args = [id, owner.id, owner.epoch, samples, reason, endText(end), ...division];
    return ended(await link.run(SETTLE, keys.account(tenant), args));
  }

  /**
   * Ends a session because of a fault of the service, without a charge. If no owner is given, the session must not be
   * connected.
   */
  async function fail(
    tenant: string,
    id: string,
    owner: Owner | undefined,
    samples: number,
    reason: string,
    { connectionId = '', refuseOwner = false, end = { reason: 'service_error', closeCode: null } }: FailOptions = {},
  ): Promise<Ended> {
    const ownerArgs = [owner?.id ?? '', owner?.epoch ?? ''];
    const args = [id, ...ownerArgs, samples, reason, connectionId, refuseOwner ? 1 : 0, endText(end)];
    return ended(await link.run(FAIL, keys.account(tenant), args));
  }

  return { reserve, confirm, cancel, connect, disconnect, chain, settle, fail };
}

/** Formats an end as the scripts store it: reason and close code, where 0 means that there is no close code. */
function endText(end: SessionEnd | undefined): string {
  return end === undefined ? '' : `${end.reason} ${end.closeCode ?? 0}`;
}

function ended(reply: unknown): Ended {
  const [outcome, state, audioMs, billableMs, model] = reply as unknown[];
  if (outcome === 'stale' || outcome === 'not_connected' || outcome === 'unknown') return { outcome };
  return {
    outcome: outcome as 'ok' | 'already',
    state: state as SessionState,
    audioMs: Number(audioMs),
    billableMs: Number(billableMs),
    model: String(model),
  };
}
