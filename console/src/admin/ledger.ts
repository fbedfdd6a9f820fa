import type { Router } from 'express';
import type { RebuildPlan } from '@svc-asr/ledger';
import type { Audited } from '../audit/act.ts';
import type { Deps } from '../deps.ts';
import { ConsoleError } from '../errors.ts';
import { createJsonReader, valid } from '../http/body.ts';
import { methodNotAllowed } from '../http/error-handler.ts';
import { checkRebuildRequest } from './schemas.ts';

/** Serves the status of the ledger and the plan for a rebuild, and accepts the request for a rebuild. */
export function routeLedger(router: Router, deps: Deps, audited: Audited): void {
  const { settings, logger } = deps;
  const { identity } = deps.ledger;
  const readJson = createJsonReader(settings.ADMIN_BODY_BYTES);

  router
    .route('/admin/v1/ledger')
    .get(async (_request, response) => {
      const [ledgerId, plan] = await Promise.all([identity.read(), identity.plan()]);
      const missing = ledgerId === undefined && plan !== undefined;
      response.json({ object: 'ledger', ledger_id: ledgerId ?? null, rebuild: missing ? viewOf(plan) : null });
    })
    .all(methodNotAllowed('GET, HEAD'));

  router
    .route('/admin/v1/ledger/rebuild')
    .post(
      audited('ledger.rebuild', async (request, response, act) => {
        const { ledger_id: wanted } = valid(checkRebuildRequest(await readJson(request, response)));
        const [ledgerId, plan] = await Promise.all([identity.read(), identity.plan()]);
        act.target = `ledger/${wanted}`;
        if (ledgerId !== undefined || plan === undefined) throw new ConsoleError('ledger_not_missing');
        if (plan.ledgerId !== wanted) throw new ConsoleError('ledger_conflict');
        await identity.requestRebuild(wanted);
        logger.warn({ reason: wanted }, 'ledger rebuild requested');
        response.status(202).json({ object: 'ledger', ledger_id: null, rebuild: viewOf(plan), requested: true });
      }),
    )
    .all(methodNotAllowed('POST'));
}

function viewOf({ ledgerId, tenants }: RebuildPlan) {
  return {
    ledger_id: ledgerId,
    tenants: tenants.map(({ tenant, grantedMs, consumedMs, checkpointAt }) => ({
      tenant,
      granted_ms: grantedMs,
      consumed_ms: consumedMs ?? null,
      checkpoint_at: checkpointAt ?? null,
    })),
  };
}
