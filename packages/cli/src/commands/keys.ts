import { createAdminApi } from '../admin-api.ts';
import type { AdminApi } from '../admin-api.ts';
import type { Command } from '../command.ts';
import { formatTime } from '../duration.ts';
import { parseExpiry } from '../expiry.ts';
import { UsageError } from '../exit.ts';
import { noteUnreadable } from '../unreadable.ts';

/** An API key in a response of the admin API. */
interface Key {
  key_id: string;
  tenant: string;
  name: string;
  last_four: string;
  created_at: string | null;
  expires_at: string | null;
  /** Null if the key may do everything. Absent in responses of earlier versions. */
  scopes?: string[] | null;
  /** Null if the key may use all models of its tenant. Absent in responses of earlier versions. */
  models?: string[] | null;
  last_used_at: string | null;
}

const create: Command = {
  words: ['admin', 'keys', 'create'],
  args: [],
  summary: 'Create an API key. The key is printed only once.',
  examples: [
    'svc-asr admin keys create --tenant acme --name production --expires 90d',
    'svc-asr admin keys create --tenant acme --scope sessions:create --model svc-asr-kikuyu-v1',
    'export SVC_ASR_API_KEY=$(svc-asr admin keys create --tenant acme)',
  ],
  api: 'admin',
  options: {
    tenant: { value: 'NAME', help: 'Tenant of the key.', required: true },
    name: { value: 'TEXT', help: 'Display name of the key.' },
    expires: {
      value: 'WHEN',
      help: 'Expiry after a number of days (90d) or at a time (2027-01-31T00:00:00Z). Default: never.',
    },
    scope: {
      value: 'SCOPE',
      help: 'What the key may do: sessions:create or usage:read. Repeat the flag for several. Default: everything.',
      multiple: true,
    },
    model: {
      value: 'MODEL',
      help: 'Model that the key may use. Repeat the flag for several models. Default: all models of the tenant.',
      multiple: true,
    },
  },
  run: async ({ option, options, json, output, adminEndpoint }) => {
    const name = option('name');
    const scopes = options('scope');
    const models = options('model');
    const body = {
      tenant: option('tenant'),
      ...(name === undefined ? {} : { name }),
      ...parseExpiry(option('expires')),
      ...(scopes.length === 0 ? {} : { scopes }),
      ...(models.length === 0 ? {} : { models }),
    };
    const api = createAdminApi(adminEndpoint());
    const answer = await api.call('POST', '/keys', { body });
    const key = answer as Key & { key: string; active: boolean; tenant_state: string };
    if (json) {
      output.json(key);
    } else {
      // Standard output contains only the key, so that KEY=$(svc-asr admin keys create …) works.
      output.line(key.key);
      output.note(`Key ${key.key_id} of ${key.tenant}, expires: ${formatTime(key.expires_at, 'never')}.`);
      output.note(`Scopes: ${formatList(key.scopes)}. Models: ${formatList(key.models)}.`);
      output.note('Store it on a server now. It cannot be shown again.');
    }
    if (!key.active) output.note('The key is stored but not active yet. Check that the operator is running.');
    if (key.tenant_state !== 'Active') {
      output.note(`The tenant is ${key.tenant_state}. Requests with the key are refused until it is Active.`);
    }
    for (const model of await findUnknownModels(api, models)) {
      output.note(`There is no model ${model}. The key cannot use it until the model is added.`);
    }
  },
};

/** Returns the models that do not exist. Empty if the service cannot list its models. */
async function findUnknownModels(api: AdminApi, models: readonly string[]): Promise<string[]> {
  if (models.length === 0) return [];
  try {
    const { data } = (await api.call('GET', '/models')) as { data: { name: string }[] };
    return models.filter((model) => data.every(({ name }) => name !== model));
  } catch {
    return [];
  }
}

const list: Command = {
  words: ['admin', 'keys', 'list'],
  args: [],
  summary: 'List API keys.',
  api: 'admin',
  options: { tenant: { value: 'NAME', help: 'List only keys of this tenant.' } },
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
      ['KEY ID', 'TENANT', 'NAME', 'ENDS IN', 'CREATED', 'LAST USED', 'EXPIRES', 'SCOPES', 'MODELS'],
      data.map((key) => [
        key.key_id,
        key.tenant,
        key.name === '' ? '-' : key.name,
        key.last_four,
        formatTime(key.created_at, '-'),
        formatTime(key.last_used_at, isKnown ? 'never' : 'unknown'),
        formatTime(key.expires_at, 'never'),
        formatList(key.scopes),
        formatList(key.models),
      ]),
      { optional: ['SCOPES', 'MODELS', 'CREATED', 'LAST USED'] },
    );
    if (!isKnown) output.note('Redis is unavailable, so the time of last use is unknown.');
  },
};

const revoke: Command = {
  words: ['admin', 'keys', 'revoke'],
  args: ['KEYID'],
  summary: 'Revoke an API key permanently. Sessions that it created continue.',
  api: 'admin',
  options: {},
  run: async ({ argument, json, output, adminEndpoint }) => {
    const keyId = argument('KEYID');
    if (!/^[0-9A-Za-z]{10}$/.test(keyId)) {
      throw new UsageError('KEYID is the 10 characters after svc_live_v1_. Run `svc-asr admin keys list` to see them.');
    }
    const answer = await createAdminApi(adminEndpoint()).call('DELETE', `/keys/${keyId}`);
    if (json) output.json(answer);
    else output.line(`Revoked ${keyId}.`);
    const { applied: isApplied } = answer as { applied: boolean };
    if (!isApplied)
      output.note('Gateways may still accept the key, because the operator has not applied the change yet.');
  },
};

function formatList(names: readonly string[] | null | undefined): string {
  return names === null || names === undefined ? 'all' : names.join(',');
}

export const KEY_COMMANDS: readonly Command[] = [create, list, revoke];
