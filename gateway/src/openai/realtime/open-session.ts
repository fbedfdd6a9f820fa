import { setTimeout as sleep } from 'node:timers/promises';
import { ApiError, MAX_AUDIO_SECONDS } from '@svc-asr/core';
import { LedgerUnavailable } from '@svc-asr/ledger';
import type { KeyCheck, VerifiedKey } from '../../auth/authenticate.ts';
import type { CatalogueView } from '../../catalogue.ts';
import type { GatewayMetrics } from '../../metrics.ts';
import { createSession } from '../../sessions/create.ts';
import type { CreatedSession, CreateOptions } from '../../sessions/create.ts';
import type { StreamClient } from '../../stream/client/client.ts';
import type { OpenedStream } from '../../stream/opened-stream.ts';
import type { Streams } from '../../stream/streams.ts';

export interface OpenSessionParts extends CreateOptions {
  catalogue: CatalogueView;
  metrics: GatewayMetrics;
  keys: KeyCheck;
  openStream: Streams['open'];
  /** Time after which one attempt to reserve a session sends no further request to Redis. */
  deadlineMs: number;
}

/**
 * Time for which a new session waits while the account is at its concurrency limit. An ended session still counts
 * against this limit for some time after its connection was closed.
 */
const PLACE_WAIT_MS = 5000;
const PLACE_RETRY_MS = 250;

/** The verified key and the request that opened a realtime connection. */
export interface RealtimeCaller extends VerifiedKey {
  /** Id of the request that opened the connection. */
  readonly requestId: string;
}

/** Reserves a session in the same way as POST /v1/asr/sessions, and opens its stream. */
export async function openSession(
  parts: OpenSessionParts,
  caller: RealtimeCaller,
  model: string,
  client: StreamClient,
): Promise<OpenedStream> {
  // The key may have been revoked or may have expired since the connection was opened.
  await parts.keys.verifyAgain(caller.keyId);
  const session = await reserve(parts, caller, model);
  try {
    return await parts.openStream(session, client, { isChained: true });
  } catch (error) {
    await cancel(parts, caller.tenant, model, session);
    throw error;
  }
}

async function reserve(parts: OpenSessionParts, caller: RealtimeCaller, model: string): Promise<CreatedSession> {
  const { tenant, keyId, requestId } = caller;
  const giveUpMs = performance.now() + PLACE_WAIT_MS;
  for (;;) {
    try {
      const deadlineMs = performance.now() + parts.deadlineMs;
      const session = await createSession(parts, {
        tenant,
        model,
        seconds: MAX_AUDIO_SECONDS,
        idempotencyKey: undefined,
        origin: { keyId, requestId },
        modelExists: parts.catalogue.has(model),
        checkDeadline: () => {
          if (performance.now() > deadlineMs) throw new LedgerUnavailable('the deadline of the reservation has passed');
        },
        onRate: () => undefined,
      });
      parts.metrics.sessionsCreated.add(1, { model });
      parts.metrics.tenantUsage.countSession(tenant);
      return session;
    } catch (error) {
      const isOccupied = error instanceof ApiError && error.code === 'concurrency_limit_exceeded';
      if (!isOccupied || performance.now() >= giveUpMs) throw error;
      await sleep(PLACE_RETRY_MS);
    }
  }
}

/** Cancels a session that is not used, so that its credit is released. */
async function cancel({ ledger }: OpenSessionParts, tenant: string, model: string, { sessionId }: CreatedSession) {
  // The session expires soon anyway, so a failure only delays the release of its credit.
  await ledger.sessionAccess.delete(tenant, sessionId).catch(() => undefined);
  await ledger.pools.release(model, sessionId).catch(() => undefined);
}
