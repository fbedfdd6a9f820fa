import { createAdminApi, NOT_APPLIED } from '../admin-api.ts';
import type { Command, Invocation } from '../command.ts';
import { formatTime } from '../duration.ts';
import { parseWhole } from '../expiry.ts';
import { parseModelLimits } from '../model-limits.ts';

/** An application, which is a tenant on the waitlist, in a response of the admin API. */
interface Application {
  name: string;
  created_at: string | null;
  spec: { displayName: string; contact?: { name?: string; email?: string; use?: string } };
}

const pathOf = ({ argument }: Invocation, step: string) =>
  `/applications/${encodeURIComponent(argument('TENANT'))}/${step}`;

const list: Command = {
  words: ['admin', 'applications', 'list'],
  args: [],
  summary: 'List applications that await a decision, oldest first.',
  api: 'admin',
  options: {},
  run: async ({ json, output, adminEndpoint }) => {
    const answer = await createAdminApi(adminEndpoint()).call('GET', '/applications');
    if (json) {
      output.json(answer);
      return;
    }
    const { data } = answer as { data: Application[] };
    output.table(
      ['TENANT', 'SINCE', 'CONTACT', 'E-MAIL', 'ORGANIZATION', 'USE CASE'],
      data.map(({ name, created_at: since, spec }) => {
        const { name: who = '', email = '', use = '' } = spec.contact ?? {};
        return [name, formatTime(since, ''), who, email, spec.displayName, use.replace(/\s+/g, ' ')];
      }),
    );
  },
};

const approve: Command = {
  words: ['admin', 'applications', 'approve'],
  args: ['TENANT'],
  summary: 'Approve an application. The tenant becomes Active and receives its first grant.',
  api: 'admin',
  options: {
    seconds: { value: 'N', help: 'Audio seconds of the first grant. Default: the setting of the console.' },
    model: {
      value: 'MODEL',
      help: 'Model that the tenant may use. Repeat the flag for several models. Default: all models.',
      multiple: true,
    },
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
    const body = approvalOf(invocation);
    const answer = await createAdminApi(adminEndpoint()).call('POST', pathOf(invocation, 'approve'), { body });
    if (json) output.json(answer);
    else output.line(`Approved ${invocation.argument('TENANT')}. The developer can now create keys in the console.`);
    if (!(answer as { applied: boolean }).applied) output.note(NOT_APPLIED);
  },
};

/** Returns the body of an approval. Undefined values are absent from the JSON. */
function approvalOf({ option, options }: Invocation): object {
  const whole = (name: string) => parseWhole(name, option(name));
  const models = options('model');
  const modelLimits = parseModelLimits(options('model-limit'));
  return {
    audio_seconds: whole('seconds'),
    models: models.length === 0 ? undefined : models,
    limits: {
      concurrentSessions: whole('concurrent-sessions'),
      sessionsPerMinute: whole('sessions-per-minute'),
      requestsPerMinute: whole('requests-per-minute'),
      models: modelLimits.length === 0 ? undefined : modelLimits,
    },
  };
}

const decline: Command = {
  words: ['admin', 'applications', 'decline'],
  args: ['TENANT'],
  summary: 'Decline an application. You can still approve it later.',
  api: 'admin',
  options: { reason: { value: 'TEXT', help: 'Reason, which the developer sees.' } },
  run: async (invocation) => {
    const { option, json, output, adminEndpoint } = invocation;
    const body = { reason: option('reason') };
    const answer = await createAdminApi(adminEndpoint()).call('POST', pathOf(invocation, 'decline'), { body });
    if (json) output.json(answer);
    else output.line(`Declined ${invocation.argument('TENANT')}.`);
    if (!(answer as { applied: boolean }).applied) output.note(NOT_APPLIED);
  },
};

const link: Command = {
  words: ['admin', 'tenants', 'link'],
  args: ['NAME'],
  summary: 'Create a private console link for the developer of a tenant. The previous link stops working.',
  api: 'admin',
  options: {
    once: { help: 'Create a link that signs in once, within an hour. The private link stays valid.' },
  },
  run: async ({ argument, has, json, output, adminEndpoint }) => {
    const path = `/tenants/${encodeURIComponent(argument('NAME'))}/${has('once') ? 'sign-in' : 'link'}`;
    const answer = await createAdminApi(adminEndpoint()).call('POST', path);
    if (json) {
      output.json(answer);
      return;
    }
    output.line((answer as { path: string }).path);
    output.note(
      'Append it to the address of the console, as in https://console.example/#…, and send it only to the developer.',
    );
  },
};

export const APPLICATION_COMMANDS: readonly Command[] = [list, approve, decline, link];
