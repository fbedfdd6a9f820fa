import type { Logger } from '@svc-asr/runtime';
import type { LedgerView } from '../ledger-view.ts';
import type { ConsoleSettings } from '../settings.ts';
import { createProvider } from './provider.ts';
import type { Provider } from './provider.ts';
import { createUserSessions } from './user-sessions.ts';
import type { UserSessions } from './user-sessions.ts';

/** Sign-in with OpenID Connect. */
export interface Identity {
  /** Undefined if no provider is configured. */
  readonly provider: Provider | undefined;
  /** Sessions of developers. Those of administrators are in `admin/sign-in`. */
  readonly users: UserSessions;
}

export interface IdentityOptions {
  readonly settings: ConsoleSettings;
  readonly ledger: Pick<LedgerView, 'consoleSessions'>;
  readonly logger: Logger;
  readonly now: () => number;
}

/** Creates the sign-in with OpenID Connect. Throws if the settings of the provider are incomplete. */
export function createIdentity({ settings, ledger, logger, now }: IdentityOptions): Identity {
  const provider = settings.OIDC_ISSUER === '' ? undefined : createProvider(checkComplete(settings), logger);
  return { provider, users: createUserSessions(ledger, now) };
}

function checkComplete(settings: ConsoleSettings): ConsoleSettings {
  const { OIDC_CLIENT_ID, CONSOLE_URL, ADMIN_CONSOLE_URL, OIDC_ADMIN_GROUPS, OIDC_SCOPES } = settings;
  if (OIDC_CLIENT_ID === '' || CONSOLE_URL === '') {
    throw new Error('OIDC_ISSUER is set, so set OIDC_CLIENT_ID and CONSOLE_URL too');
  }
  if (OIDC_ADMIN_GROUPS.size > 0 && ADMIN_CONSOLE_URL === '') {
    throw new Error('OIDC_ADMIN_GROUPS is set, so set ADMIN_CONSOLE_URL too');
  }
  if (!OIDC_SCOPES.split(' ').includes('openid')) throw new Error('OIDC_SCOPES must contain openid');
  return settings;
}
