import type { ConsoleAudience } from '@svc-asr/ledger';
import type { Logger } from '@svc-asr/runtime';
import type { LedgerView } from '../ledger-view.ts';
import type { ConsoleSettings } from '../settings.ts';
import { createProvider } from './provider.ts';
import type { Provider } from './provider.ts';
import { createUserSessions } from './user-sessions.ts';
import type { UserSessions } from './user-sessions.ts';

/** Sign-in with OpenID Connect at one of the pages. */
export interface Identity {
  /** Undefined if no provider is configured. */
  readonly provider: Provider | undefined;
  readonly users: UserSessions;
}

export interface IdentityOptions {
  readonly settings: ConsoleSettings;
  readonly ledger: Pick<LedgerView, 'consoleSessions'>;
  readonly logger: Logger;
  readonly now: () => number;
}

/** Creates the sign-in of each page. Throws if the settings of the provider are incomplete. */
export function createIdentities(options: IdentityOptions): Readonly<Record<ConsoleAudience, Identity>> {
  const { settings, ledger, logger, now } = options;
  const provider = settings.OIDC_ISSUER === '' ? undefined : createProvider(checkComplete(settings), logger);
  const hasAdmins = settings.OIDC_ADMIN_GROUPS.size > 0;
  return {
    developer: { provider, users: createUserSessions(ledger, 'developer', now) },
    admin: { provider: hasAdmins ? provider : undefined, users: createUserSessions(ledger, 'admin', now) },
  };
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
