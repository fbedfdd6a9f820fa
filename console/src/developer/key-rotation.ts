import type { ApiKey } from '@svc-asr/core';
import type { Request, Response, Router } from 'express';
import type { Act, Audited } from '../audit/act.ts';
import { ConsoleError } from '../errors.ts';
import { createJsonReader, valid } from '../http/body.ts';
import { methodNotAllowed } from '../http/error-handler.ts';
import { rotatedExpiry, withEarlierExpiry } from '../keys/rotation.ts';
import { viewKey } from '../keys/view.ts';
import { waitUntilKeyActive } from '../keys/wait.ts';
import type { CreatedKey } from '../responses.ts';
import type { DeveloperDeps } from './deps.ts';
import type { SignedIn } from './find-session.ts';
import type { IssueKey } from './issue-key.ts';
import { findOwnKey } from './own-key.ts';
import { checkRotation } from './schemas.ts';

const HOUR_MS = 3_600_000;

/**
 * Lets a signed-in developer replace a key by a new one. The old key works until the overlap ends, or until its own
 * expiry if that is earlier.
 */
export function routeKeyRotation(
  router: Router,
  deps: DeveloperDeps,
  signedIn: SignedIn,
  issue: IssueKey,
  audited: Audited,
): void {
  const { store, ledger, settings, logger, now } = deps;
  const readJson = createJsonReader(settings.CONSOLE_BODY_BYTES);
  const polling = { timeoutMs: settings.KEY_ACTIVATION_TIMEOUT_MS, intervalMs: settings.KEY_POLL_INTERVAL_MS };

  /** Ends the old key after the overlap. If that fails, the new key is removed, so that nothing has changed. */
  async function endOld(old: ApiKey, created: ApiKey, endsAtMs: number): Promise<void> {
    try {
      await store.update('ApiKey', old.metadata.name, (current) => {
        if (current === undefined) throw new ConsoleError('key_not_found', { message: 'The key was revoked.' });
        return withEarlierExpiry(current, endsAtMs);
      });
    } catch (error) {
      await store.delete('ApiKey', created.metadata.name);
      throw error;
    }
  }

  async function rotate(request: Request<{ keyId: string }>, response: Response, act: Act): Promise<void> {
    const { overlap_hours: overlapHours } = valid(checkRotation(await readJson(request, response)));
    const tenant = await signedIn(request as Request);
    act.tenant = tenant.metadata.name;
    const { resource: old, readOnlyIn } = await findOwnKey(store, tenant, request.params.keyId);
    if (readOnlyIn !== undefined) throw new ConsoleError('read_only_resource');
    const { spec, metadata } = old;
    const { key, resource } = await issue(tenant, {
      displayName: spec.displayName,
      expiresAt: rotatedExpiry(spec.expiresAt ?? null, metadata.creationTimestamp, now()),
      scopes: spec.scopes,
      models: spec.models,
      replaces: spec.keyId,
      onDrawn: (keyId) => (act.detail = { replaced_by: keyId, overlap_hours: overlapHours }),
    });
    await endOld(old, resource, now() + overlapHours * HOUR_MS);
    logger.info({ tenant: tenant.metadata.name, key_id: spec.keyId }, 'API key replaced');
    const active = await waitUntilKeyActive(ledger, resource, polling);
    const view: CreatedKey = { ...viewKey(resource), key, active };
    response.status(201).json(view);
  }

  router.route('/console/v1/keys/:keyId/rotate').post(audited('key.rotate', rotate)).all(methodNotAllowed('POST'));
}
