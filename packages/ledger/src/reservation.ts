import { nextMonthMs } from './budget.ts';
import { originText } from './origin.ts';
import type { SessionOrigin } from './origin.ts';
import type { RateState } from './types.ts';

/** A request for a session. */
export interface ReserveRequest {
  tenant: string;
  /** Id for a new session. If the request repeats an Idempotency-Key, the result has the id of the first request. */
  sessionId: string;
  /** Id of this attempt. `cancel` releases the session on behalf of the attempt with this id. */
  attempt: string;
  model: string;
  modelExists: boolean;
  seconds: number;
  idempotencyKey: string | undefined;
  secretId: string;
  credentialHash: string;
  /** Request that creates the session. Only tests leave it out. */
  origin?: SessionOrigin;
}

/** A session that was created, or found by its Idempotency-Key. */
export interface Reservation {
  sessionId: string;
  createdAtMs: number;
  expiresAtMs: number;
  reservedSeconds: number;
  remainingSeconds: number;
  secretId: string;
  /** True until the session is confirmed. */
  provisional: boolean;
}

export type ReserveOutcome =
  | { outcome: 'ok'; reservation: Reservation; rate: RateState }
  | { outcome: 'rate'; retryAfterMs: number; rate: RateState }
  | {
      outcome: 'concurrency' | 'model_concurrency';
      retryAfterMs: number;
      rate: RateState;
      /** Largest number of concurrent sessions that the tenant may have, in total or with this model. */
      limit: number;
      /** Number of reserved and active sessions of the tenant, in total or with this model. */
      live: number;
    }
  | {
      outcome: 'credit';
      /** Time at which the budget of the tenant renews. Undefined for a tenant without a budget. */
      renewsAtMs?: number;
    }
  | { outcome: 'cancelled' | 'inactive' | 'conflict' | 'model_not_found' | 'scope' };

/** Builds the arguments of reserve.lua, in the order that the script expects. */
export function reserveArguments(
  { sessionId, attempt, model, modelExists, seconds, idempotencyKey, secretId, credentialHash, origin }: ReserveRequest,
  { ttlMs, leaseMs }: { ttlMs: number; leaseMs: number },
  marked: number,
): (string | number)[] {
  const created = [sessionId, model, modelExists ? 1 : 0, seconds, idempotencyKey ?? ''];
  return [
    ...created,
    attempt,
    secretId,
    credentialHash,
    ttlMs,
    leaseMs,
    marked,
    origin === undefined ? '' : originText(origin),
  ];
}

/** Reply of reserve.lua: the outcome, followed by the values that belong to this outcome. */
export type ReserveReply = readonly unknown[];

/** Parses the reply of reserve.lua. */
export function reserveReply(reply: ReserveReply): ReserveOutcome {
  const outcome = reply[0] as Exclude<ReserveOutcome['outcome'], 'ok'> | 'created' | 'found';
  switch (outcome) {
    case 'created':
    case 'found': {
      const [, sessionId, created, expires, reserved, remaining, secretId, provisional, ...rate] = reply;
      return {
        outcome: 'ok',
        reservation: {
          sessionId: String(sessionId),
          createdAtMs: Number(created),
          expiresAtMs: Number(expires),
          reservedSeconds: Number(reserved) / 1000,
          remainingSeconds: Number(remaining),
          secretId: String(secretId),
          provisional: provisional === 1,
        },
        rate: rateOf(rate),
      };
    }
    case 'rate':
      return { outcome, retryAfterMs: Number(reply[1]), rate: rateOf(reply.slice(2)) };
    case 'concurrency':
    case 'model_concurrency':
      return {
        outcome,
        retryAfterMs: Number(reply[1]),
        rate: rateOf(reply.slice(2)),
        limit: Number(reply[5]),
        live: Number(reply[6]),
      };
    case 'cancelled':
    case 'inactive':
    case 'conflict':
    case 'model_not_found':
    case 'scope':
      return { outcome };
    case 'credit': {
      const month = String(reply[1]);
      return month === '' ? { outcome } : { outcome, renewsAtMs: nextMonthMs(month) };
    }
  }
}

function rateOf([limit, remaining, whole]: readonly unknown[]): RateState {
  return { limit: Number(limit), remaining: Number(remaining), resetS: Math.ceil(Number(whole) / 1000) };
}
