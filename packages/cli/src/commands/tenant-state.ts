import { createAdminApi, NOT_APPLIED } from '../admin-api.ts';
import type { Command } from '../command.ts';

/** Creates the command that sets the state of a tenant. */
function stateCommand(word: string, state: string, summary: string, done: string): Command {
  return {
    words: ['admin', 'tenants', word],
    args: ['NAME'],
    summary,
    api: 'admin',
    options: {},
    run: async ({ argument, json, output, adminEndpoint }) => {
      const path = `/tenants/${encodeURIComponent(argument('NAME'))}`;
      const answer = await createAdminApi(adminEndpoint()).call('PATCH', path, { body: { state } });
      if (json) output.json(answer);
      else output.line(`${done} the tenant ${argument('NAME')}.`);
      if (!(answer as { applied: boolean }).applied) output.note(NOT_APPLIED);
    },
  };
}

export const suspend = stateCommand(
  'suspend',
  'Suspended',
  'Suspend a tenant. Its live streams end, and its keys are refused until it is resumed.',
  'Suspended',
);

export const resume = stateCommand('resume', 'Active', 'Serve a suspended tenant again.', 'Resumed');
