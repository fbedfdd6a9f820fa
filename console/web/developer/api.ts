import type { AsrSession } from '@svc-asr/core';
import type {
  ApplicationView,
  ConsoleSessionView,
  CreatedKey,
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
import { createCall } from '../data/api.ts';

/** Requests of this page below /console/v1, with the types of their responses. */
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

const listeners = new Set<() => void>();

/** Calls a function when a response shows that the session of this browser has ended. Returns a function that stops it. */
export function onSessionEnd(listener: () => void): () => void {
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
  };
}

/** Sends a request as the signed-in developer. */
export const call = createCall<DeveloperRoutes>('/console/v1', () => {
  for (const listener of listeners) listener();
});
