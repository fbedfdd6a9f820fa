import { KubernetesError } from '@svc-asr/kubernetes';
import type { Request, RequestHandler, Response } from 'express';
import { ConsoleError } from '../errors.ts';
import { requestIdOf } from '../http/observe.ts';
import type { Actor } from './entry.ts';
import type { AuditLog } from './log.ts';

/** Facts about a request (an act) that its handler reports for the audit log. */
export interface Act {
  /** Tenant that the act is about. By default the parameter `name` of the path. Null if the entry must not name it. */
  tenant?: string | null;
  /** Kind and name of the thing that the act is about. By default the key in the path, or else the tenant. */
  target?: string;
  /** Kind of the act, if it differs from the usual one of the route. */
  action?: string;
  /** Actor, if the handler itself authenticates the request. A request that fails before this is set gets no entry. */
  actor?: Actor;
  /**
   * Set to `always` as soon as the request has changed something. It then gets an entry even if it is rejected
   * afterwards. Set to `never` if a successful request neither changed nor showed anything that needs an entry.
   */
  entry?: 'always' | 'never';
  /** Further facts, without secrets and personal data. */
  detail: Record<string, unknown>;
}

type Handle<P> = (request: Request<P>, response: Response, act: Act) => Promise<void>;

/**
 * Wraps the handler of a route that changes something or shows data of a tenant, so that the audit log gets an entry.
 */
export type Audited = <P>(action: string, handle: Handle<P>) => RequestHandler<P>;

/**
 * Creates the function that wraps handlers. The entry is added after the handler has run. A request that was rejected
 * before it changed anything gets no entry. A request that failed for another reason may have changed something, and
 * gets an entry. `actorOf` returns undefined for a request that was not authenticated yet.
 */
export function createAudited(audit: AuditLog, actorOf: (request: Request) => Actor | undefined): Audited {
  return (action, handle) => async (request, response) => {
    const act: Act = { detail: {} };
    const record = () => {
      const { name, keyId } = request.params as Readonly<Record<string, string | undefined>>;
      const { tenant = name ?? null, actor = actorOf(request as Request) } = act;
      if (actor === undefined) return;
      const target = act.target ?? (keyId === undefined ? `tenant/${tenant ?? ''}` : `key/${keyId}`);
      audit.record({
        actor: actor.actor,
        name: actor.name,
        action: act.action ?? action,
        target,
        tenant,
        requestId: requestIdOf(response),
        detail: act.detail,
      });
    };
    try {
      await handle(request, response, act);
    } catch (error) {
      if (act.entry === 'always' || !isRejected(error)) {
        act.detail.failed = true;
        record();
      }
      throw error;
    }
    if (act.entry !== 'never') record();
  };
}

/** Reports which data a request shows. Only a request that names a tenant gets an entry in the audit log. */
export function nameView(act: Act, view: string, tenant: string | undefined): void {
  act.detail = { view };
  if (tenant === undefined) act.entry = 'never';
  else act.tenant = tenant;
}

/** Returns true if the request was rejected. It then has changed nothing, unless the handler reported a change. */
function isRejected(error: unknown): boolean {
  const isKnown = error instanceof ConsoleError || error instanceof KubernetesError;
  return isKnown ? error.status >= 400 && error.status < 500 : isClientError(error);
}

/** Returns true for errors of the body parser, such as a body that is too large. */
function isClientError(error: unknown): boolean {
  const { status } = (error ?? {}) as { status?: unknown };
  return typeof status === 'number' && status < 500;
}
