import type { AsrSession } from '@svc-asr/core';
import type {
  ApplicationView,
  ConsoleSessionView,
  CreatedKey,
  InvitationPreview,
  InvitationView,
  LinkView,
  ListedKey,
  MemberView,
  OwnModelView,
  OwnTenantView,
  PageOf,
  RefusalView,
  SessionDetailView,
  SessionRow,
  SignInMethodsView,
  UsageByKeyView,
} from '../../src/responses.ts';
import { codeOf, createCall, RequestError } from '../data/api.ts';
import type { Call } from '../data/api.ts';
import { texts } from '../texts/index.ts';

/** Requests that the developers' page sends to routes below /console/v1, with the types of the responses. */
export interface DeveloperRoutes {
  'POST applications': ApplicationView;
  'GET sign-in': SignInMethodsView;
  'POST sign-in': { readonly tenant: string };
  'DELETE sign-in': { readonly tenant: null };
  'GET session': ConsoleSessionView;
  'POST session/tenant': ConsoleSessionView;
  'DELETE session/all': { readonly tenant: null };
  'GET members': { readonly data: readonly MemberView[] };
  'PATCH members/:id': MemberView;
  'DELETE members/:id': { readonly removed: true };
  'POST invitations': InvitationView;
  'DELETE invitations/:id': { readonly withdrawn: true };
  'POST invitations/accept': MemberView;
  'POST invitations/preview': InvitationPreview;
  'POST link': LinkView;
  'DELETE link': { readonly revoked: true };
  'GET account': OwnTenantView;
  'POST credit-requests': { readonly at: string };
  'GET keys': { readonly data: readonly ListedKey[]; readonly ledger_available: boolean };
  'POST keys': CreatedKey;
  'POST keys/:id/rotate': CreatedKey;
  'DELETE keys/:id': { readonly revoked: true };
  'GET usage': UsageByKeyView;
  'GET sessions': PageOf<SessionRow>;
  'GET sessions/:id': SessionDetailView;
  'GET refusals': PageOf<RefusalView>;
  'POST playground/sessions': AsrSession;
  'GET models': { readonly data: readonly OwnModelView[] };
}

const sessionEnds = new Set<() => void>();
const tenantChanges = new Set<() => void>();

/** Error codes for requests whose tenant is not the tenant of the session, or whose user has left the tenant. */
const OTHER_TENANT: readonly string[] = ['other_tenant', 'no_account'];

/** Tenant that the page shows. Empty while no tenant is shown. */
let shownTenant = '';

/**
 * Sets the tenant that later requests name in a header. The server refuses them if another tab has switched the tenant.
 */
export function showTenant(name: string): void {
  shownTenant = name;
}

/**
 * Calls a function when a response shows that the session of this browser has ended. Returns a function that removes
 * the listener.
 */
export function onSessionEnd(listener: () => void): () => void {
  return add(sessionEnds, listener);
}

/**
 * Calls a function when a response shows that the session no longer has the shown tenant, or that the user has left
 * this tenant. Returns a function that removes the listener.
 */
export function onTenantChange(listener: () => void): () => void {
  return add(tenantChanges, listener);
}

function add(listeners: Set<() => void>, listener: () => void): () => void {
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
  };
}

const send = createCall<DeveloperRoutes>('/console/v1', () => {
  for (const listener of sessionEnds) listener();
});

/**
 * Sends a request as the signed-in developer. If a tenant is shown, each request except `GET account` contains the name
 * of this tenant.
 */
export const call: Call<DeveloperRoutes> = async (route, options = {}) => {
  const isFree = route === 'GET account';
  const headers = isFree || shownTenant === '' ? {} : { 'x-svc-asr-tenant': shownTenant };
  try {
    return await send(route, { ...options, headers });
  } catch (error) {
    if (!isFree && OTHER_TENANT.includes(codeOf(error))) for (const listener of tenantChanges) listener();
    throw explain(error);
  }
};

/**
 * If `texts.general.problems` has a text for the code of an error, returns an error with this text. The message of the
 * API addresses programmers, not users of this page.
 */
function explain(error: unknown): unknown {
  const text = texts.general.problems[codeOf(error)];
  return error instanceof RequestError && text !== undefined ? new RequestError(text, error) : error;
}
