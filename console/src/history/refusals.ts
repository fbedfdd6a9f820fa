import { ERRORS, validator } from '@svc-asr/core';
import type { ErrorCode } from '@svc-asr/core';
import type { Refusal } from '@svc-asr/ledger';
import type { Request } from 'express';
import Type from 'typebox';
import { valid } from '../http/body.ts';
import { exact, withNumbers } from '../http/query.ts';
import type { LedgerView } from '../ledger-view.ts';
import type { PageOf, RefusalView } from '../responses/history.ts';

const checkQuery = validator(
  exact({
    limit: Type.Integer({ minimum: 1, maximum: 200, default: 50 }),
    request_id: Type.Optional(Type.String({ minLength: 1, maxLength: 128 })),
  }),
);

/** Returns the refused API requests of a tenant that match a query, the newest first. */
export async function listRefusals(
  ledger: Pick<LedgerView, 'refusals'>,
  tenant: string,
  query: Request['query'],
): Promise<PageOf<RefusalView>> {
  const { limit, request_id: requestId } = valid(checkQuery(withNumbers(query, ['limit'])));
  const all = await ledger.refusals.list(tenant);
  // Users copy ids from logs, with spaces around them or in capital letters.
  const wanted = requestId?.trim().toLowerCase();
  const found = wanted === undefined ? all : all.filter((refusal) => refusal.requestId === wanted);
  return { object: 'list', data: found.slice(0, limit).map(viewRefusal), has_more: found.length > limit };
}

function viewRefusal(refusal: Refusal): RefusalView {
  return {
    request_id: refusal.requestId,
    at: new Date(refusal.atMs).toISOString(),
    method: refusal.method,
    path: refusal.path,
    status: refusal.status,
    code: refusal.code,
    message: refusal.message ?? defaultMessage(refusal.code),
    key_id: refusal.keyId,
    model: refusal.model,
  };
}

/** Returns the default message of an error. Empty for a code that only a later version of the gateway uses. */
function defaultMessage(code: string): string {
  return code in ERRORS ? ERRORS[code as ErrorCode].message : '';
}
