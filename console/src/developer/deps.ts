import type { Deps } from '../deps.ts';
import type { GatewayClient } from '../gateway-client.ts';
import type { Identity } from '../identity/identity.ts';
import type { CachedReads } from '../resources/cached-reads.ts';
import type { ConsoleSettings } from '../settings.ts';

/** Dependencies of the developer routes. */
export interface DeveloperDeps extends Pick<
  Deps,
  'store' | 'ledger' | 'peppers' | 'codes' | 'mailer' | 'audit' | 'logger' | 'metrics' | 'now'
> {
  reads: CachedReads;
  /** Undefined if the installation has no playground. */
  gateway: GatewayClient | undefined;
  identity: Identity;
  settings: Pick<
    ConsoleSettings,
    | 'API_URL'
    | 'CONSOLE_URL'
    | 'EXAMPLE_CA_FILE'
    | 'CONSOLE_BODY_BYTES'
    | 'TRUSTED_PROXIES'
    | 'SIGN_IN_FAILURES_PER_MINUTE'
    | 'APPLICATIONS_PER_HOUR'
    | 'MAX_APPLICATIONS'
    | 'LINK_DAYS'
    | 'MAX_KEYS'
    | 'KEYS_PER_HOUR'
    | 'KEY_ACTIVATION_TIMEOUT_MS'
    | 'KEY_POLL_INTERVAL_MS'
    | 'USAGE_RETENTION_DAYS'
  >;
}
