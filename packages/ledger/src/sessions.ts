import type { SessionState } from '@svc-asr/core';
import type { Due } from './due.ts';
import type { RedisKeys } from './keys.ts';
import type { RedisLink } from './redis/link.ts';
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

export interface SessionOptions {
  /** Lifetime of the credential. */
  ttlMs: number;
  /** Lifetime of a provisional session. */
  leaseMs: number;
  /** How long a reserve that comes after its cancel is refused. */
  tombstoneMs: number;
}

/** What a reserve told of the session that is to be confirmed. */
export type Confirmable = Pick<Reservation, 'sessionId' | 'expiresAtMs'>;

/** The process that a live stream belongs to. */
export interface Owner {
  id: string;
  epoch: number;
}

/** What became of a session that was let go of; `sessionId`: the one that the attempt held. */
export interface Cancelled {
  outcome: 'cancelled' | 'shared' | 'none' | 'kept';
  sessionId: string;
}

export type Connected = { outcome: 'ok'; model: string; reservedMs: number } | { outcome: 'refused' | 'inactive' };

/** How a session ended; `already`: somebody ended it before, and this is how. */
export type Ended =
  | { outcome: 'ok' | 'already'; state: SessionState; audioMs: number; billableMs: number; model: string }
  | { outcome: 'stale' | 'unknown' };

/** The transitions of a session: one script each, safe to repeat. */
export function createSessions(link: RedisLink, keys: RedisKeys, due: Due, options: SessionOptions) {
  /** Makes a provisional session, or finds the one that the same Idempotency-Key made. */
  async function reserve(request: ReserveRequest): Promise<ReserveOutcome> {
    for (let tries = 0; ; tries++) {
      const marked = await due.mark(request.tenant, [options.leaseMs, options.ttlMs]);
      const args = reserveArguments(request, options, marked);
      const reply = (await link.run(RESERVE, keys.account(request.tenant), args)) as ReserveReply;
      if (reply[0] !== 'unmarked') return reserveReply(reply, request, options.ttlMs);
      // The clock was off or the mark took long: the script told the right time.
      due.observe(Number(reply[1]));
      if (tries === 3) throw new Error('the reaper could not be told of a session in time');
    }
  }

  /** Makes a provisional session a reserved one; false when its lease had ended. */
  async function confirm(tenant: string, { sessionId, expiresAtMs }: Confirmable): Promise<boolean> {
    return (await link.run(CONFIRM, keys.account(tenant), [sessionId, expiresAtMs])) === 'ok';
  }

  /** Lets go of a session on behalf of one attempt; the last attempt to let go takes the reservation back. */
  async function cancel(request: {
    tenant: string;
    sessionId: string;
    attempt: string;
    idempotencyKey: string | undefined;
    reason: string;
    /** Refused for every attempt, not only for this one. */
    forAll?: boolean;
  }): Promise<Cancelled> {
    const { tenant, sessionId, attempt, idempotencyKey, reason, forAll } = request;
    const args = [sessionId, attempt, idempotencyKey ?? '', options.tombstoneMs, reason, forAll === true ? 1 : 0];
    const [outcome, held] = (await link.run(CANCEL, keys.account(tenant), args)) as string[];
    return { outcome: outcome as Cancelled['outcome'], sessionId: held ?? sessionId };
  }

  /** Consumes a credential: of any number of connections one gets `ok`. */
  async function connect(request: {
    tenant: string;
    sessionId: string;
    credentialHash: string;
    owner: Owner;
    connectionId: string;
  }): Promise<Connected> {
    const { tenant, sessionId, credentialHash, owner, connectionId } = request;
    const args = [sessionId, credentialHash, owner.id, owner.epoch, connectionId];
    const [outcome, model, reservedMs] = (await link.run(CONNECT, keys.account(tenant), args)) as unknown[];
    if (outcome !== 'ok') return { outcome: outcome as 'refused' | 'inactive' };
    return { outcome, model: String(model), reservedMs: Number(reservedMs) };
  }

  /** Takes back a connect that was given up without an answer; true when it had come through. */
  async function disconnect(tenant: string, sessionId: string, connectionId: string): Promise<boolean> {
    return (await link.run(DISCONNECT, keys.account(tenant), [sessionId, connectionId])) === 'ok';
  }

  /** Ends an active session in its own time and charges the accepted audio. */
  async function settle(tenant: string, id: string, owner: Owner, samples: number, reason: string): Promise<Ended> {
    const args = [id, owner.id, owner.epoch, samples, reason];
    return ended(await link.run(SETTLE, keys.account(tenant), args));
  }

  /** Ends a session by a fault of the service: nothing is charged. Without an owner: one that is not connected. */
  async function fail(
    tenant: string,
    id: string,
    owner: Owner | undefined,
    samples: number,
    reason: string,
  ): Promise<Ended> {
    const args = [id, owner?.id ?? '', owner?.epoch ?? '', samples, reason];
    return ended(await link.run(FAIL, keys.account(tenant), args));
  }

  return { reserve, confirm, cancel, connect, disconnect, settle, fail };
}

function ended(reply: unknown): Ended {
  const [outcome, state, audioMs, billableMs, model] = reply as unknown[];
  if (outcome === 'stale' || outcome === 'unknown') return { outcome };
  return {
    outcome: outcome as 'ok' | 'already',
    state: state as SessionState,
    audioMs: Number(audioMs),
    billableMs: Number(billableMs),
    model: String(model),
  };
}
