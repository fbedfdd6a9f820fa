import { createAdminApi } from '../admin-api.ts';
import type { Command, Invocation } from '../command.ts';
import { formatTime } from '../duration.ts';
import { parseWhole } from '../expiry.ts';

/** An application as the admin API shows it: a tenant that waits. */
interface Application {
  name: string;
  created_at: string | null;
  spec: { displayName: string; contact?: { name?: string; email?: string; use?: string } };
}

const NOT_YET = 'It is stored but not in force yet: is the operator running?';
const pathOf = ({ argument }: Invocation, step: string) =>
  `/applications/${encodeURIComponent(argument('TENANT'))}/${step}`;

const list: Command = {
  words: ['admin', 'applications', 'list'],
  args: [],
  summary: 'List who waits for a decision, the longest first.',
  speaksTo: 'admin',
  options: {},
  run: async ({ json, output, adminEndpoint }) => {
    const answer = await createAdminApi(adminEndpoint()).call('GET', '/applications');
    if (json) {
      output.json(answer);
      return;
    }
    const { data } = answer as { data: Application[] };
    output.table(
      ['TENANT', 'SINCE', 'WHO', 'E-MAIL', 'ORGANISATION', 'WHAT FOR'],
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
  summary: 'Approve an application: the tenant becomes Active and gets a first grant.',
  speaksTo: 'admin',
  options: {
    seconds: { value: 'N', help: 'Seconds of audio of the first grant. Default: what the console is set to.' },
  },
  run: async (invocation) => {
    const { option, json, output, adminEndpoint } = invocation;
    const seconds = option('seconds');
    const body = seconds === undefined ? {} : { audio_seconds: parseWhole('seconds', seconds) };
    const answer = await createAdminApi(adminEndpoint()).call('POST', pathOf(invocation, 'approve'), { body });
    if (json) output.json(answer);
    else output.line(`Approved ${invocation.argument('TENANT')}. Its developer can make keys in the console now.`);
    if (!(answer as { in_force: boolean }).in_force) output.note(NOT_YET);
  },
};

const decline: Command = {
  words: ['admin', 'applications', 'decline'],
  args: ['TENANT'],
  summary: 'Decline an application. It may be approved later all the same.',
  speaksTo: 'admin',
  options: {},
  run: async (invocation) => {
    const { json, output, adminEndpoint } = invocation;
    const answer = await createAdminApi(adminEndpoint()).call('POST', pathOf(invocation, 'decline'));
    if (json) output.json(answer);
    else output.line(`Declined ${invocation.argument('TENANT')}.`);
    if (!(answer as { in_force: boolean }).in_force) output.note(NOT_YET);
  },
};

const link: Command = {
  words: ['admin', 'tenants', 'link'],
  args: ['NAME'],
  summary: "Make a new private link to the console for a tenant's developer; the old one stops working.",
  speaksTo: 'admin',
  options: {},
  run: async ({ argument, json, output, adminEndpoint }) => {
    const path = `/tenants/${encodeURIComponent(argument('NAME'))}/link`;
    const answer = await createAdminApi(adminEndpoint()).call('POST', path);
    if (json) {
      output.json(answer);
      return;
    }
    output.line((answer as { path: string }).path);
    output.note(
      'Put it behind the address of the console, such as https://console.example/#…, and send it to them alone.',
    );
  },
};

export const APPLICATION_COMMANDS: readonly Command[] = [list, approve, decline, link];
