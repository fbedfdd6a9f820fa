import type { Ledger } from '@svc-asr/ledger';
import { createAttemptLimiter } from '@svc-asr/runtime';
import type { LedgerWatch } from '../ledger-watch.ts';
import type { GatewaySettings } from '../settings.ts';
import { createKeyCheck } from './authenticate.ts';
import type { KeyCheck } from './authenticate.ts';
import { createKeyLookup } from './lookup.ts';
import type { RefusalDelay } from './refusal-delay.ts';

/** Creates the check of API keys from the settings of a gateway. */
export function createGatewayKeys(
  settings: GatewaySettings,
  { ledger, ledgerWatch, refusalDelay }: { ledger: Ledger; ledgerWatch: LedgerWatch; refusalDelay: RefusalDelay },
): KeyCheck {
  return createKeyCheck({
    lookup: createKeyLookup(ledger.apiKeys, {
      cacheMs: settings.KEY_CACHE_TTL_MS,
      touchMs: settings.KEY_LAST_USED_INTERVAL_MS,
    }),
    failures: createAttemptLimiter(settings.AUTH_FAILURES_PER_SECOND, 1000),
    refusalDelay,
    peppers: settings.API_KEY_PEPPERS,
    now: ledger.now,
    ledgerWatch,
  });
}
