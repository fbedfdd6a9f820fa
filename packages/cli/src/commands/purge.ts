import { createAdminApi } from '../admin-api.ts';
import type { Command } from '../command.ts';
import { IncompleteError } from '../exit.ts';
import type { Output } from '../output.ts';

interface PurgeAnswer {
  tenant: string;
  live_sessions: number;
  removed: Record<string, number>;
  remaining: Record<string, number>;
  unreadable: { file: string; problem: string }[];
  complete: boolean;
}

/**
 * Timeout of the request. The console responds within PURGE_TIMEOUT_MS. This timeout is longer than the highest value
 * of that setting.
 */
const PURGE_CALL_TIMEOUT_MS = 3_660_000;

export const purge: Command = {
  words: ['admin', 'tenants', 'purge'],
  args: ['NAME'],
  summary: 'Remove all data of a tenant, even of a deleted one. Without --yes, only show what exists.',
  api: 'admin',
  examples: ['svc-asr admin tenants purge acme', 'svc-asr admin tenants purge acme --yes'],
  options: { yes: { help: 'Remove the data, and check that nothing is left.' } },
  run: async (invocation) => {
    const { json, output, adminEndpoint, argument, has } = invocation;
    const name = argument('NAME');
    const path = `/tenants/${encodeURIComponent(name)}/purge`;
    const call = { body: { confirm: has('yes') }, timeoutMs: PURGE_CALL_TIMEOUT_MS };
    const answer = (await createAdminApi(adminEndpoint()).call('POST', path, call)) as PurgeAnswer;
    if (json) output.json(answer);
    for (const { file, problem } of answer.unreadable) {
      output.note(`The file ${file} may contain data of ${name}. Repair or delete it: ${problem}`);
    }
    if (!has('yes')) {
      if (!json) printFound(output, answer);
      output.note(`Nothing was changed. Run the command with --yes to remove all data of ${name}.`);
      return;
    }
    if (!json) printProof(output, answer);
    if (!answer.complete) {
      throw new IncompleteError(`Data of ${name} may be left. Run the command again.`);
    }
    if (!json) output.line(`Nothing of ${name} is left in Redis, the resources and the exported journal.`);
    output.note('Backups, copies of the journal, logs and Kubernetes events are not covered.');
  },
};

const labelOf = (kind: string) => kind.replaceAll('_', ' ');

function printFound(output: Output, { live_sessions: live, remaining }: PurgeAnswer): void {
  const rows = Object.entries(remaining).map(([kind, count]) => [labelOf(kind), String(count)]);
  output.table(['KIND', 'FOUND'], [...rows, ['live sessions', String(live)]]);
}

function printProof(output: Output, { removed, remaining }: PurgeAnswer): void {
  output.table(
    ['KIND', 'REMOVED', 'LEFT'],
    Object.entries(remaining).map(([kind, count]) => [labelOf(kind), String(removed[kind] ?? 0), String(count)]),
  );
}
