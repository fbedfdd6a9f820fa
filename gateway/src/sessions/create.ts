import { randomUUID } from 'node:crypto';
import { ApiError } from '@svc-asr/core';
import type { ErrorCode } from '@svc-asr/core';
import { LedgerUnavailable } from '@svc-asr/ledger';
import type { Ledger, RateState, Reservation, ReserveOutcome, SessionOrigin } from '@svc-asr/ledger';
import type { Keyring } from '@svc-asr/runtime';
import { modelNotFound } from '../model-not-found.ts';
import type { AudioCapacity } from '../stream/audio-memory/audio-capacity.ts';
import type { Cancellation, Cancellations } from './cancellations.ts';
import { credentialHash, sessionCredential } from './credential.ts';

const GATEWAYS_FULL = 'The service has as many streams as it can hold. Retry as Retry-After says.';

export interface CreateOptions {
  ledger: Ledger;
  secrets: Keyring;
  cancellations: Cancellations;
  /** Time for which a session holds its slot in the pool after its credential has expired. */
  holdExtraMs: number;
  audioCapacity: Pick<AudioCapacity, 'hasRoom' | 'countCreated'>;
  /**
   * Retry-After in seconds if there is no free slot. If there is no audio memory, Retry-After is up to twice as long.
   */
  noCapacityRetryS: number;
}

export interface CreateRequest {
  tenant: string;
  model: string;
  modelExists: boolean;
  seconds: number;
  idempotencyKey: string | undefined;
  origin: SessionOrigin;
  /** Called before each request to the ledger. Throws if the deadline of the request has passed. */
  checkDeadline: () => void;
  /**
   * Called with the state of the session rate limit if the answer of the ledger contains this state. An answer that
   * refuses the session can also contain it.
   */
  onRate: (rate: RateState) => void;
}

export interface CreatedSession extends Reservation {
  credential: string;
}

/**
 * Creates a session in three steps, each of which is safe to repeat. It reserves credit for a provisional session,
 * holds a slot in the pool of the model, and confirms the session. A concurrent request with the same Idempotency-Key
 * gets the same session and runs the same steps. If a step fails, the session is cancelled.
 */
export async function createSession(options: CreateOptions, request: CreateRequest): Promise<CreatedSession> {
  const { ledger, secrets, cancellations } = options;
  const { tenant, model, idempotencyKey } = request;
  const sessionId = randomUUID();
  const cancellation: Cancellation = {
    tenant,
    sessionId,
    attempt: sessionId.slice(0, 13),
    idempotencyKey,
    model,
    reason: 'outcome unknown',
  };
  const secretId = secrets.current;
  request.checkDeadline();
  try {
    const result = await ledger.sessions.reserve({
      tenant,
      model,
      idempotencyKey,
      modelExists: request.modelExists,
      seconds: request.seconds,
      sessionId,
      attempt: cancellation.attempt,
      secretId,
      origin: request.origin,
      credentialHash: known(secretId, credentialHash(secrets, secretId, { tenant, sessionId })),
    });
    if ('rate' in result) request.onRate(result.rate);
    if (result.outcome !== 'ok') throw refusal(result, model);
    const { reservation } = result;
    if (reservation.provisional) await confirmReservation(options, request, cancellation, reservation);
    const subject = { tenant, sessionId: reservation.sessionId };
    const credential = sessionCredential(secrets, reservation.secretId, subject, reservation.expiresAtMs);
    return { ...reservation, credential: known(reservation.secretId, credential) };
  } catch (error) {
    if (!(error instanceof ApiError)) cancellations.add(cancellation);
    throw error;
  }
}

/**
 * Holds a slot and confirms the session. Cancels the session if there is no free slot, or if no gateway has free audio
 * memory.
 */
async function confirmReservation(
  options: CreateOptions,
  request: CreateRequest,
  cancellation: Cancellation,
  reservation: Reservation,
): Promise<void> {
  const { tenant, model } = cancellation;
  const { sessionId, expiresAtMs, reservedSeconds } = reservation;
  const { ledger, cancellations, audioCapacity, holdExtraMs, noCapacityRetryS } = options;
  if (!audioCapacity.hasRoom) {
    cancellations.add({ ...cancellation, sessionId, reason: 'no audio memory', forAll: true });
    // All gateways become full at the same time. The delay is random, so that not all clients return at once and fill
    // the gateways again.
    const retryAfterS = noCapacityRetryS * (1 + Math.random());
    throw new ApiError('no_capacity', { retryAfterS, message: GATEWAYS_FULL });
  }
  request.checkDeadline();
  if (!(await ledger.pools.claim(model, sessionId, expiresAtMs + holdExtraMs, noCapacityRetryS * 1000))) {
    cancellations.add({ ...cancellation, sessionId, reason: 'no capacity', forAll: true });
    throw new ApiError('no_capacity', { retryAfterS: noCapacityRetryS });
  }
  request.checkDeadline();
  if (!(await ledger.sessions.confirm(tenant, reservation))) {
    throw new LedgerUnavailable('the provisional session expired before it was confirmed');
  }
  audioCapacity.countCreated(reservedSeconds);
}

/**
 * Returns `derived`, a value that was derived from a secret. Throws if the value is undefined, which means that the
 * keyring lacks the secret.
 */
function known(secretId: string, derived: string | undefined): string {
  if (derived === undefined) throw new Error(`the session secret "${secretId}" is missing from SESSION_SECRETS`);
  return derived;
}

const REFUSALS = {
  inactive: 'account_inactive',
  conflict: 'idempotency_conflict',
  model_not_found: 'model_not_found',
  scope: 'model_scope_denied',
  rate: 'rate_limit_exceeded',
  concurrency: 'concurrency_limit_exceeded',
  model_concurrency: 'concurrency_limit_exceeded',
  credit: 'insufficient_credits',
  cancelled: 'service_unavailable',
} as const satisfies Record<Exclude<ReserveOutcome['outcome'], 'ok'>, ErrorCode>;

function refusal(result: Exclude<ReserveOutcome, { outcome: 'ok' }>, model: string): ApiError {
  const code = REFUSALS[result.outcome];
  if (result.outcome === 'credit' && result.renewsAtMs !== undefined) {
    const renewsAt = new Date(result.renewsAtMs).toISOString().slice(0, 10);
    const message = `Less than one second of audio credit is left. The monthly budget renews on ${renewsAt} at 00:00 UTC.`;
    return new ApiError(code, { message });
  }
  if (result.outcome === 'concurrency' || result.outcome === 'model_concurrency') {
    const ofModel = result.outcome === 'model_concurrency' ? ` of the model ${model}` : '';
    const message = `The account already has an active or reserved ASR session${ofModel}. It has ${result.live} of at most ${result.limit}. Close a stream, or free a place with DELETE /v1/asr/sessions/{id}.`;
    return new ApiError(code, { message, retryAfterS: result.retryAfterMs / 1000 });
  }
  if (result.outcome === 'model_not_found') return modelNotFound(model);
  return new ApiError(code, 'retryAfterMs' in result ? { retryAfterS: result.retryAfterMs / 1000 } : {});
}
