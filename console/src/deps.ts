import type { AuditLog } from './audit/log.ts';
import type { Keyring, Logger, Metrics } from '@svc-asr/runtime';
import type { Provider } from './identity/provider.ts';
import type { LedgerView } from './ledger-view.ts';
import type { Mailer } from './mail/mailer.ts';
import type { Platform } from './resources/platform.ts';
import type { ResourceStore } from './resources/store.ts';
import type { ConsoleSettings } from './settings.ts';
import type { SignInCodes } from './sign-in-codes.ts';

/** Dependencies of the admin API routes. */
export interface Deps {
  store: ResourceStore;
  ledger: LedgerView;
  peppers: Keyring;
  codes: SignInCodes;
  audit: AuditLog;
  platform: Platform;
  mailer: Mailer;
  /** Undefined if no OpenID provider is configured. */
  provider: Provider | undefined;
  settings: Pick<
    ConsoleSettings,
    | 'ADMIN_CONSOLE_URL'
    | 'CONSOLE_URL'
    | 'OIDC_ADMIN_GROUPS'
    | 'ADMIN_TOKEN'
    | 'ADMIN_FAILED_ATTEMPTS_PER_MINUTE'
    | 'ADMIN_BODY_BYTES'
    | 'KEY_ACTIVATION_TIMEOUT_MS'
    | 'KEY_POLL_INTERVAL_MS'
    | 'PURGE_TIMEOUT_MS'
    | 'JOURNAL_PAGE_ENTRIES'
    | 'WELCOME_CREDIT_SECONDS'
    | 'LINK_DAYS'
    | 'USAGE_RETENTION_DAYS'
  >;
  logger: Logger;
  metrics: Metrics;
  now: () => number;
}
