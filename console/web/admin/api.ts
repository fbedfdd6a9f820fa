import type {
  AdminSessionView,
  AdminSignInMethodsView,
  AuditView,
  DecisionMailView,
  ListedKey,
  UsageView,
} from '../../src/responses.ts';
import type {
  AdminLinkView,
  AdminTenantView,
  HealthView,
  ModelListView,
  PurgeView,
} from '../../src/responses/administration.ts';
import type { PageOf, RefusalView, SessionRow } from '../../src/responses/history.ts';
import { createCall } from '../data/api.ts';

/** Whether a change is effective: applied by the operator or, for a sign-out, stored in Redis. */
interface Applied {
  readonly applied: boolean;
}

/** Requests that the administrators' page sends to routes below /admin/v1, with the types of the responses. */
export interface AdminRoutes {
  'GET session': AdminSessionView;
  'GET sign-in': AdminSignInMethodsView;
  'POST sign-in': AdminSessionView;
  'DELETE sign-in': Applied;
  'DELETE sessions': Applied;
  'GET applications': { readonly data: readonly AdminTenantView[] };
  'POST applications/:name/approve': AdminTenantView & Applied & DecisionMailView;
  'POST applications/:name/decline': AdminTenantView & Applied & DecisionMailView;
  'GET tenants': {
    readonly data: readonly AdminTenantView[];
    readonly unreadable: readonly { readonly file: string; readonly problem: string }[];
  };
  'GET tenants/:name': AdminTenantView;
  'PATCH tenants/:name': AdminTenantView & Applied;
  'DELETE tenants/:name': Applied;
  'POST tenants/:name/grants': Partial<Applied>;
  'POST tenants/:name/purge': PurgeView;
  'POST tenants/:name/link': AdminLinkView;
  'GET tenants/:name/keys': { readonly data: readonly ListedKey[] };
  'GET tenants/:name/usage': UsageView;
  'GET tenants/:name/sessions': PageOf<SessionRow>;
  'GET tenants/:name/refusals': PageOf<RefusalView>;
  'GET models': ModelListView;
  'GET health': HealthView;
  'GET audit': AuditView;
}

const listeners = new Set<() => void>();

/** Calls a function when a response shows that the session has ended. Returns a function that removes the listener. */
export function onSessionEnd(listener: () => void): () => void {
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
  };
}

/** Error codes of responses to requests without a valid session. */
const SIGNED_OUT = ['not_signed_in', 'missing_admin_token'];

/** Sends a request to the admin API. */
export const call = createCall<AdminRoutes>(
  '/admin/v1',
  () => {
    for (const listener of listeners) listener();
  },
  SIGNED_OUT,
);
