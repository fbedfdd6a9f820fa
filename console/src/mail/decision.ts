import { declineReasonOf } from '../tenants/decline-reason.ts';
import type { Deps } from '../deps.ts';
import type { DecisionMailView } from '../responses.ts';
import { recipientsOf } from './check.ts';

/**
 * Sends a mail about the approval or decline of an application. It goes to the owners of the tenant, or to the address
 * in the application. Also returns the link to the console, which the administrator can send if no mail was sent.
 */
export async function sendDecision(
  { store, mailer, settings }: Pick<Deps, 'store' | 'mailer' | 'settings'>,
  name: string,
): Promise<DecisionMailView> {
  const found = await store.get('Tenant', name);
  const link = settings.CONSOLE_URL === '' ? null : `${settings.CONSOLE_URL}/`;
  if (found === undefined) return { mailed: false, link_to_send: link };
  const { resource } = found;
  const tenant = resource.spec.displayName;
  const send = (to: string) =>
    resource.spec.state === 'Active'
      ? mailer.send('approved', to, { tenant, url: link ?? '' })
      : mailer.send('declined', to, { tenant, reason: declineReasonOf(resource) });
  const results = await Promise.all((await recipientsOf(store, resource)).map(send));
  return { mailed: results.includes(true), link_to_send: link };
}
