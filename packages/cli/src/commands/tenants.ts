import { createAdminApi, NOT_APPLIED } from '../admin-api.ts';
import type { Command, Invocation } from '../command.ts';
import { formatDuration } from '../duration.ts';
import { parseModelLimits } from '../model-limits.ts';
import { parseWhole } from '../expiry.ts';
import { purge } from './purge.ts';
import { resume, suspend } from './tenant-state.ts';
import { grants, keys, refusals, sessions, usage } from './tenant-views.ts';
import { update } from './update-tenant.ts';
import { queryOf } from '../query.ts';
import { tenantRows } from '../tenant-rows.ts';
import type { TenantAnswer } from '../tenant-rows.ts';
import { noteUnreadable } from '../unreadable.ts';

const pathOf = ({ argument }: Invocation) => `/tenants/${encodeURIComponent(argument('NAME'))}`;

const list: Command = {
  words: ['admin', 'tenants', 'list'],
  args: [],
  summary: 'List tenants.',
  api: 'admin',
  options: {
    search: { value: 'TEXT', help: 'Only tenants whose name or contact contains the text.' },
    state: { value: 'STATE', help: 'Only tenants in this state: Waitlisted, Active, Suspended or Declined.' },
  },
  run: async ({ option, json, output, adminEndpoint }) => {
    const answer = await createAdminApi(adminEndpoint()).call('GET', `/tenants${queryOf(list, option)}`);
    noteUnreadable(output, answer);
    if (json) {
      output.json(answer);
      return;
    }
    const { data } = answer as { data: TenantAnswer[] };
    output.table(
      ['NAME', 'DISPLAY NAME', 'STATE', 'MODELS', 'PRIORITY', 'CONCURRENT SESSIONS', 'WRITABLE'],
      data.map(({ name, spec, read_only: isReadOnly }) => {
        const { displayName, state, models, priority = 'normal', limits } = spec;
        const concurrent = String(limits.concurrentSessions);
        return [name, displayName, state, models.join(','), priority, concurrent, isReadOnly ? 'no' : 'yes'];
      }),
    );
  },
};

const show: Command = {
  words: ['admin', 'tenants', 'show'],
  args: ['NAME'],
  summary: 'Show a tenant with its credit and live sessions.',
  api: 'admin',
  options: {},
  run: async (invocation) => {
    const { json, output, adminEndpoint } = invocation;
    const answer = await createAdminApi(adminEndpoint()).call('GET', pathOf(invocation));
    if (json) output.json(answer);
    else output.table(['TENANT', invocation.argument('NAME')], tenantRows(answer as TenantAnswer));
  },
};

const create: Command = {
  words: ['admin', 'tenants', 'create'],
  args: ['NAME'],
  summary: 'Create a tenant. Fails if the name exists.',
  api: 'admin',
  examples: ['svc-asr admin tenants create acme --display-name "Acme Radio" --grant-seconds 3600'],
  options: {
    'display-name': { value: 'TEXT', help: 'Display name of the tenant.', required: true },
    state: { value: 'STATE', help: 'Waitlisted, Active, Suspended or Declined. Default: Active.' },
    model: {
      value: 'MODEL',
      help: 'Model that the tenant may use. Repeat the flag for several models. Default: all models.',
      multiple: true,
    },
    priority: {
      value: 'PRIORITY',
      help: 'Order of streams that wait for a worker: high, normal or low. Default: normal.',
    },
    'budget-seconds': { value: 'N', help: 'Audio credit per month, in seconds. It renews at the start of each month.' },
    'grant-seconds': { value: 'N', help: 'First grant of audio credit, in seconds. Its id is "welcome".' },
    'concurrent-sessions': { value: 'N', help: 'Maximum number of concurrent sessions. Default: 1.' },
    'model-limit': {
      value: 'MODEL=N',
      help: 'Maximum number of concurrent sessions of a model. Repeat the flag for several models.',
      multiple: true,
    },
    'sessions-per-minute': { value: 'N', help: 'Maximum number of new sessions per minute. Default: 60.' },
    'requests-per-minute': { value: 'N', help: 'Maximum number of requests per minute. Default: 600.' },
  },
  run: async (invocation) => {
    const { json, output, adminEndpoint } = invocation;
    const body = specOf(invocation);
    const headers = { 'if-none-match': '*' };
    const answer = await createAdminApi(adminEndpoint()).call('PUT', pathOf(invocation), { body, headers });
    if (json) output.json(answer);
    else output.line(`Created the tenant ${invocation.argument('NAME')}.`);
    if (!(answer as { applied: boolean }).applied) output.note(NOT_APPLIED);
  },
};

function specOf({ option, options }: Invocation): object {
  const whole = (name: string) => parseWhole(name, option(name));
  const seconds = whole('grant-seconds');
  const budget = whole('budget-seconds');
  const models = options('model');
  const priority = option('priority');
  const modelLimits = parseModelLimits(options('model-limit'));
  return {
    displayName: option('display-name'),
    state: option('state') ?? 'Active',
    ...(models.length === 0 ? {} : { models }),
    ...(priority === undefined ? {} : { priority }),
    ...(seconds === undefined ? {} : { grants: [{ id: 'welcome', audioSeconds: seconds }] }),
    ...(budget === undefined ? {} : { budget: { monthlyAudioSeconds: budget } }),
    // Undefined values are absent from the JSON, and the service applies its defaults.
    limits: {
      concurrentSessions: whole('concurrent-sessions'),
      sessionsPerMinute: whole('sessions-per-minute'),
      requestsPerMinute: whole('requests-per-minute'),
      ...(modelLimits.length === 0 ? {} : { models: modelLimits }),
    },
  };
}

const grant: Command = {
  words: ['admin', 'tenants', 'grant'],
  args: ['NAME'],
  summary: 'Grant audio credit to a tenant. Use a negative amount (--seconds=-60) to correct a grant.',
  api: 'admin',
  options: {
    seconds: { value: 'N', help: 'Audio seconds.', required: true },
    id: { value: 'ID', help: 'Id of the grant. An id is applied only once. Default: a random id.' },
    note: { value: 'TEXT', help: 'Note for administrators, such as the reason of a correction.' },
  },
  run: async (invocation) => {
    const { option, json, output, adminEndpoint } = invocation;
    const body = { id: option('id'), audio_seconds: parseWhole('seconds', option('seconds')), note: option('note') };
    const answer = await createAdminApi(adminEndpoint()).call('POST', `${pathOf(invocation)}/grants`, { body });
    const granted = answer as { id: string; audio_seconds: number; applied?: boolean };
    if (json) {
      output.json(answer);
    } else {
      const amount = formatDuration(granted.audio_seconds * 1000);
      const repeated = granted.applied === undefined ? ' The grant exists already, so nothing changed.' : '';
      output.line(`Granted ${amount} to ${invocation.argument('NAME')} (grant ${granted.id}).${repeated}`);
    }
    if (granted.applied === false) output.note(NOT_APPLIED);
  },
};

const remove: Command = {
  words: ['admin', 'tenants', 'delete'],
  args: ['NAME'],
  summary: 'Delete a tenant. Its keys are revoked and its live sessions end without charge.',
  api: 'admin',
  options: {},
  run: async (invocation) => {
    const { json, output, adminEndpoint } = invocation;
    const answer = await createAdminApi(adminEndpoint()).call('DELETE', pathOf(invocation));
    const { keys_revoked: keys, applied: isApplied } = answer as { keys_revoked: number; applied: boolean };
    if (json) output.json(answer);
    else output.line(`Deleted the tenant ${invocation.argument('NAME')} and ${keys} ${keys === 1 ? 'key' : 'keys'}.`);
    if (!isApplied)
      output.note('Gateways may still serve the tenant, because the operator has not applied the change yet.');
  },
};

export const TENANT_COMMANDS: readonly Command[] = [
  ...[list, show, create, update, suspend, resume, grant, grants, keys, sessions, refusals, usage],
  ...[remove, purge],
];
