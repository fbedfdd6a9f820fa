import { createAdminApi } from '../admin-api.ts';
import type { Command } from '../command.ts';
import { formatTime } from '../duration.ts';
import { parseExpiry } from '../expiry.ts';
import { UsageError } from '../exit.ts';
import { noteUnreadable } from '../unreadable.ts';

/** A key as the admin API shows it. */
interface Key {
  key_id: string;
  tenant: string;
  name: string;
  last_four: string;
  created_at: string | null;
  expires_at: string | null;
  last_used_at: string | null;
}

const create: Command = {
  words: ['admin', 'keys', 'create'],
  args: [],
  summary: 'Create an API key. It is printed once and cannot be seen again.',
  speaksTo: 'admin',
  options: {
    tenant: { value: 'NAME', help: 'The tenant that the key is for.', required: true },
    name: { value: 'TEXT', help: 'A name to know the key by.' },
    expires: {
      value: 'WHEN',
      help: 'After so many days (90d), or at a date-time (2027-01-31T00:00:00Z). Default: never.',
    },
  },
  run: async ({ option, json, output, adminEndpoint }) => {
    const name = option('name');
    const body = {
      tenant: option('tenant'),
      ...(name === undefined ? {} : { name }),
      ...parseExpiry(option('expires')),
    };
    const answer = await createAdminApi(adminEndpoint()).call('POST', '/keys', { body });
    const key = answer as Key & { key: string; active: boolean; tenant_state: string };
    if (json) {
      output.json(key);
    } else {
      // The key alone on standard output: KEY=$(svc-asr admin keys create …) works.
      output.line(key.key);
      output.note(`Key ${key.key_id} of ${key.tenant}, expires: ${formatTime(key.expires_at, 'never')}.`);
      output.note('Keep it now, on a server: it cannot be shown again.');
    }
    if (!key.active) output.note('It is stored but not in force yet: is the operator running?');
    if (key.tenant_state !== 'Active') {
      output.note(`The tenant is ${key.tenant_state}: requests with the key are refused until it is Active.`);
    }
  },
};

const list: Command = {
  words: ['admin', 'keys', 'list'],
  args: [],
  summary: 'List API keys.',
  speaksTo: 'admin',
  options: { tenant: { value: 'NAME', help: 'Only those of this tenant.' } },
  run: async ({ option, json, output, adminEndpoint }) => {
    const tenant = option('tenant');
    const query = tenant === undefined ? '' : `?tenant=${encodeURIComponent(tenant)}`;
    const answer = await createAdminApi(adminEndpoint()).call('GET', `/keys${query}`);
    noteUnreadable(output, answer);
    if (json) {
      output.json(answer);
      return;
    }
    const { data, ledger_available: isKnown } = answer as { data: Key[]; ledger_available: boolean };
    output.table(
      ['KEY ID', 'TENANT', 'NAME', 'ENDS IN', 'CREATED', 'LAST USED', 'EXPIRES'],
      data.map((key) => [
        key.key_id,
        key.tenant,
        key.name === '' ? '-' : key.name,
        key.last_four,
        formatTime(key.created_at, '-'),
        formatTime(key.last_used_at, isKnown ? 'never' : 'unknown'),
        formatTime(key.expires_at, 'never'),
      ]),
    );
    if (!isKnown) output.note('Redis is away: when keys were last used is not known.');
  },
};

const revoke: Command = {
  words: ['admin', 'keys', 'revoke'],
  args: ['KEYID'],
  summary: 'Revoke an API key, for good. Sessions that it made go on.',
  speaksTo: 'admin',
  options: {},
  run: async ({ argument, json, output, adminEndpoint }) => {
    const keyId = argument('KEYID');
    if (!/^[0-9A-Za-z]{10}$/.test(keyId)) {
      throw new UsageError('KEYID is the 10 characters after svc_live_v1_; `svc-asr admin keys list` shows them.');
    }
    const answer = await createAdminApi(adminEndpoint()).call('DELETE', `/keys/${keyId}`);
    if (json) output.json(answer);
    else output.line(`Revoked ${keyId}.`);
    const { in_force: inForce } = answer as { in_force: boolean };
    if (!inForce) output.note('Gateways may still accept it: the operator has not brought the change to Redis yet.');
  },
};

export const KEY_COMMANDS: readonly Command[] = [create, list, revoke];
