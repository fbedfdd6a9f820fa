import { createAdminApi } from '../admin-api.ts';
import type { Command, Invocation } from '../command.ts';
import { formatDuration } from '../duration.ts';
import { parseWhole } from '../expiry.ts';
import { tenantRows } from '../tenant-rows.ts';
import type { TenantAnswer } from '../tenant-rows.ts';
import { noteUnreadable } from '../unreadable.ts';

const pathOf = ({ argument }: Invocation) => `/tenants/${encodeURIComponent(argument('NAME'))}`;
const NOT_YET = 'It is stored but not in force yet: is the operator running?';

const list: Command = {
  words: ['admin', 'tenants', 'list'],
  args: [],
  summary: 'List tenants.',
  speaksTo: 'admin',
  options: {},
  run: async ({ json, output, adminEndpoint }) => {
    const answer = await createAdminApi(adminEndpoint()).call('GET', '/tenants');
    noteUnreadable(output, answer);
    if (json) {
      output.json(answer);
      return;
    }
    const { data } = answer as { data: TenantAnswer[] };
    output.table(
      ['NAME', 'DISPLAY NAME', 'STATE', 'MODELS', 'SESSIONS AT A TIME', 'WRITABLE'],
      data.map(({ name, spec, read_only: isReadOnly }) => {
        const concurrent = String(spec.limits.concurrentSessions);
        return [name, spec.displayName, spec.state, spec.models.join(','), concurrent, isReadOnly ? 'no' : 'yes'];
      }),
    );
  },
};

const show: Command = {
  words: ['admin', 'tenants', 'show'],
  args: ['NAME'],
  summary: 'Show a tenant with its credit and live sessions.',
  speaksTo: 'admin',
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
  summary: 'Create a tenant; one that exists is left alone.',
  speaksTo: 'admin',
  options: {
    'display-name': { value: 'TEXT', help: 'How people call it.', required: true },
    state: { value: 'STATE', help: 'Waitlisted, Active, Suspended or Declined. Default: Active.' },
    model: {
      value: 'MODEL',
      help: 'A model it may use; give it several times for several. Default: all.',
      multiple: true,
    },
    'grant-seconds': { value: 'N', help: 'A first grant of audio credit, with the id "welcome".' },
    'concurrent-sessions': { value: 'N', help: 'Sessions it may hold at the same time. Default: 1.' },
    'sessions-per-minute': { value: 'N', help: 'New sessions a minute. Default: 60.' },
    'requests-per-minute': { value: 'N', help: 'Requests a minute. Default: 600.' },
  },
  run: async (invocation) => {
    const { json, output, adminEndpoint } = invocation;
    const body = specOf(invocation);
    const headers = { 'if-none-match': '*' };
    const answer = await createAdminApi(adminEndpoint()).call('PUT', pathOf(invocation), { body, headers });
    if (json) output.json(answer);
    else output.line(`Created the tenant ${invocation.argument('NAME')}.`);
    if (!(answer as { in_force: boolean }).in_force) output.note(NOT_YET);
  },
};

function specOf({ option, options }: Invocation): object {
  const whole = (name: string) => parseWhole(name, option(name));
  const seconds = whole('grant-seconds');
  const models = options('model');
  return {
    displayName: option('display-name'),
    state: option('state') ?? 'Active',
    ...(models.length === 0 ? {} : { models }),
    ...(seconds === undefined ? {} : { grants: [{ id: 'welcome', audioSeconds: seconds }] }),
    // What is undefined is left out of the JSON and gets its default from the service.
    limits: {
      concurrentSessions: whole('concurrent-sessions'),
      sessionsPerMinute: whole('sessions-per-minute'),
      requestsPerMinute: whole('requests-per-minute'),
    },
  };
}

const grant: Command = {
  words: ['admin', 'tenants', 'grant'],
  args: ['NAME'],
  summary: 'Grant a tenant audio credit. A negative amount (--seconds=-60) corrects.',
  speaksTo: 'admin',
  options: {
    seconds: { value: 'N', help: 'Seconds of audio.', required: true },
    id: { value: 'ID', help: 'Id of the grant; the same id is never applied twice. Default: a random one.' },
  },
  run: async (invocation) => {
    const { option, json, output, adminEndpoint } = invocation;
    const body = { id: option('id'), audio_seconds: parseWhole('seconds', option('seconds')) };
    const answer = await createAdminApi(adminEndpoint()).call('POST', `${pathOf(invocation)}/grants`, { body });
    const made = answer as { id: string; audio_seconds: number; in_force?: boolean };
    if (json) {
      output.json(answer);
    } else {
      const amount = formatDuration(made.audio_seconds * 1000);
      const wasThere = made.in_force === undefined ? ' It was there already: nothing changed.' : '';
      output.line(`Granted ${amount} to ${invocation.argument('NAME')} (grant ${made.id}).${wasThere}`);
    }
    if (made.in_force === false) output.note(NOT_YET);
  },
};

const remove: Command = {
  words: ['admin', 'tenants', 'delete'],
  args: ['NAME'],
  summary: 'Delete a tenant: its keys are revoked and its live sessions end, uncharged.',
  speaksTo: 'admin',
  options: {},
  run: async (invocation) => {
    const { json, output, adminEndpoint } = invocation;
    const answer = await createAdminApi(adminEndpoint()).call('DELETE', pathOf(invocation));
    const { keys_revoked: keys, in_force: inForce } = answer as { keys_revoked: number; in_force: boolean };
    if (json) output.json(answer);
    else output.line(`Deleted the tenant ${invocation.argument('NAME')} and ${keys} ${keys === 1 ? 'key' : 'keys'}.`);
    if (!inForce) output.note('Gateways may still serve it: the operator has not brought the change to Redis yet.');
  },
};

export const TENANT_COMMANDS: readonly Command[] = [list, show, create, grant, remove];
