import { END_REASONS, SESSION_STATES, validator } from '@svc-asr/core';
import type { EndReason } from '@svc-asr/core';
import type { ListedSession } from '@svc-asr/ledger';
import type { Request } from 'express';
import Type from 'typebox';
import { ConsoleError } from '../errors.ts';
import { valid } from '../http/body.ts';
import { exact, withNumbers } from '../http/query.ts';
import type { LedgerView } from '../ledger-view.ts';
import type { PageOf, SessionDetailView, SessionRow } from '../responses/history.ts';

const name = Type.Optional(Type.String({ minLength: 1, maxLength: 128 }));

const checkQuery = validator(
  exact({
    limit: Type.Integer({ minimum: 1, maximum: 100, default: 20 }),
    before: name,
    state: Type.Optional(Type.Enum([...SESSION_STATES])),
    model: name,
    key_id: name,
    source: Type.Optional(Type.Enum(['api', 'playground'])),
    end_reason: Type.Optional(Type.Enum(Object.keys(END_REASONS) as EndReason[])),
  }),
);

/** Returns a page of the latest sessions of a tenant that match a query, the newest first. */
export async function listSessions(
  ledger: Pick<LedgerView, 'sessionHistory'>,
  tenant: string,
  query: Request['query'],
): Promise<PageOf<SessionRow>> {
  const { key_id: keyId, end_reason: endReason, ...rest } = valid(checkQuery(withNumbers(query, ['limit'])));
  const { sessions, hasMore } = await ledger.sessionHistory.list(tenant, { ...rest, keyId, endReason });
  return { object: 'list', data: sessions.map(viewSession), has_more: hasMore };
}

/**
 * Returns a session of a tenant with the explanation of its charge. Throws `session_not_found` if the ledger has no
 * such session.
 */
export async function findSession(
  ledger: Pick<LedgerView, 'sessionHistory'>,
  tenant: string,
  id: string,
): Promise<SessionDetailView> {
  const session = await ledger.sessionHistory.find(tenant, id);
  if (session === undefined) throw new ConsoleError('session_not_found');
  return { object: 'session', ...viewSession(session), charge: explainCharge(session) };
}

function viewSession(session: ListedSession): SessionRow {
  const { createdAtMs, completedAtMs } = session;
  return {
    id: session.id,
    model: session.model,
    state: session.state,
    audio_ms: session.audioMs,
    billable_ms: session.billableMs,
    created_at: new Date(createdAtMs).toISOString(),
    completed_at: completedAtMs === null ? null : new Date(completedAtMs).toISOString(),
    key_id: session.keyId,
    source: session.source,
    end_reason: session.endReason,
    close_code: session.closeCode,
    reserved_ms: session.reservedMs,
    duration_ms: completedAtMs === null ? null : completedAtMs - createdAtMs,
    request_id: session.requestId,
  };
}

function explainCharge(session: ListedSession): SessionDetailView['charge'] {
  const { audioMs, billableMs, reservedMs, completedAtMs } = session;
  const amounts = { audio_ms: audioMs, billable_ms: billableMs };
  if (completedAtMs === null) return { rule: 'pending', ...amounts, released_ms: null };
  return {
    rule: billableMs > 0 ? 'rounded_up_to_second' : 'not_charged',
    ...amounts,
    released_ms: reservedMs === null ? null : reservedMs - billableMs,
  };
}
