import { setTimeout as sleep } from 'node:timers/promises';
import { showAudioMs } from '@svc-asr/core';
import type { ApiKey, Tenant } from '@svc-asr/core';
import { LedgerUnavailable } from '@svc-asr/ledger';
import type { Logger } from '@svc-asr/runtime';
import { isOwner } from '../identity/owners.ts';
import { replacedKeyOf } from '../keys/rotation.ts';
import type { LedgerView } from '../ledger-view.ts';
import type { ResourceStore } from '../resources/store.ts';
import type { ConsoleSettings } from '../settings.ts';
import { isCreditLow } from '../tenants/credit-low.ts';
import { viewAccount } from '../tenants/view.ts';
import type { Mailer } from './mailer.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
/** Time before the expiry of a key at which the mail about the expiry is sent. */
const KEY_WARNING_MS = 7 * DAY_MS;
/**
 * Time for which Redis keeps the mark that a mail was sent. The condition that caused the mail usually ends earlier.
 */
const MARK_MS = 400 * DAY_MS;
const times = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' });

export interface MailCheckDeps {
  readonly store: ResourceStore;
  readonly ledger: Pick<LedgerView, 'accounts' | 'mailMarks'>;
  readonly mailer: Mailer;
  readonly settings: Pick<ConsoleSettings, 'SMTP_URL' | 'CONSOLE_URL' | 'MAIL_CHECK_MINUTES'>;
  readonly logger: Logger;
  readonly now: () => number;
}

/**
 * Returns the addresses of a tenant: the addresses of its owners, or the address in its application if no owner has
 * one.
 */
export async function recipientsOf(
  store: Pick<ResourceStore, 'membersOf'>,
  { metadata, spec }: Tenant,
): Promise<string[]> {
  const members = (await store.membersOf(metadata.name)).map(({ resource }) => resource);
  const owners = members.filter(isOwner).flatMap(({ spec: { email } }) => (email === undefined ? [] : [email]));
  const addresses = owners.length > 0 ? owners : [spec.contact?.email ?? ''];
  return [...new Set(addresses)].filter((address) => address !== '');
}

/** Sends the mails about low credit and keys that expire soon. Each is sent once, by one of the consoles. */
export async function checkMails(deps: MailCheckDeps): Promise<void> {
  const tenants = (await deps.store.list('Tenant')).map(({ resource }) => resource);
  const keys = (await deps.store.list('ApiKey')).map(({ resource }) => resource);
  for (const tenant of tenants.filter(({ spec }) => spec.state === 'Active')) {
    await checkCredit(deps, tenant);
    const own = keys.filter(({ spec }) => spec.tenant === tenant.metadata.name);
    const replaced = new Set(own.map(replacedKeyOf));
    // A rotated key needs no mail, because its owner has replaced it.
    for (const key of own.filter(({ spec }) => !replaced.has(spec.keyId))) await checkKey(deps, tenant, key);
  }
}

/**
 * Sends the mail about low credit, once for each mark that Redis keeps (MARK_MS). The mark contains the granted credit
 * and the end of the budget's month. After a further grant or in another month, the tenant can therefore get another
 * mail.
 */
async function checkCredit(deps: MailCheckDeps, tenant: Tenant): Promise<void> {
  const account = viewAccount(await deps.ledger.accounts.read(tenant.metadata.name));
  if (account === null || !isCreditLow(account.credits)) return;
  const { granted_ms: grantedMs, available_ms: availableMs, budget } = account.credits;
  const facts = {
    tenant: tenant.spec.displayName,
    left: showAudioMs(availableMs),
    url: `${deps.settings.CONSOLE_URL}/`,
  };
  await sendOnce(deps, tenant, `credit:${grantedMs}:${budget?.renews_at ?? ''}`, (to) =>
    deps.mailer.send('creditLow', to, facts),
  );
}

async function checkKey(deps: MailCheckDeps, tenant: Tenant, { spec }: ApiKey): Promise<void> {
  const leftMs = Date.parse(spec.expiresAt ?? '') - deps.now();
  // Without an expiry, `leftMs` is NaN.
  if (!(leftMs > 0 && leftMs < KEY_WARNING_MS)) return;
  const facts = {
    tenant: tenant.spec.displayName,
    key: spec.displayName === '' ? `…${spec.lastFour}` : `${spec.displayName} (…${spec.lastFour})`,
    at: `${times.format(Date.parse(spec.expiresAt ?? ''))} UTC`,
    url: `${deps.settings.CONSOLE_URL}/keys`,
  };
  await sendOnce(deps, tenant, `key:${spec.keyId}:${spec.expiresAt ?? ''}`, (to) =>
    deps.mailer.send('keyExpires', to, facts),
  );
}

/**
 * Sends a mail to all recipients, unless the ledger has the mark of this mail, which shows that it was sent before. If
 * no recipient gets the mail, the next check tries again.
 */
async function sendOnce(
  { store, ledger }: MailCheckDeps,
  tenant: Tenant,
  mark: string,
  send: (to: string) => Promise<boolean>,
): Promise<void> {
  const { name } = tenant.metadata;
  const recipients = await recipientsOf(store, tenant);
  if (recipients.length === 0 || !(await ledger.mailMarks.claim(name, mark, MARK_MS))) return;
  const results = await Promise.all(recipients.map(send));
  if (!results.includes(true)) await ledger.mailMarks.release(name, mark);
}

/**
 * Repeats `checkMails` every MAIL_CHECK_MINUTES until `stop` is called. Does nothing without an SMTP server, or if
 * MAIL_CHECK_MINUTES is 0.
 */
export function startMailCheck(deps: MailCheckDeps): { stop: () => void } {
  const { settings, logger } = deps;
  const stopping = new AbortController();
  const { signal } = stopping;

  async function run(): Promise<void> {
    while (!signal.aborted) {
      try {
        await checkMails(deps);
      } catch (err) {
        // While Redis is unavailable, no mark can be set. The next check sends the missing mails.
        if (!(err instanceof LedgerUnavailable)) logger.error({ err }, 'check for mails failed');
      }
      await sleep(settings.MAIL_CHECK_MINUTES * MINUTE_MS, undefined, { signal }).catch(() => undefined);
    }
  }

  if (settings.SMTP_URL !== '' && settings.MAIL_CHECK_MINUTES > 0) void run();
  return { stop: () => stopping.abort() };
}
