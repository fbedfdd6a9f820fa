import { createAdminApi } from '../admin-api.ts';
import type { Command, Invocation } from '../command.ts';
import { formatDuration, formatTime } from '../duration.ts';
import type { Output } from '../output.ts';

interface LedgerAnswer {
  ledger_id: string | null;
  rebuild: {
    ledger_id: string;
    tenants: { tenant: string; granted_ms: number; consumed_ms: number | null; checkpoint_at: string | null }[];
  } | null;
}

const read = async ({ adminEndpoint }: Invocation) =>
  (await createAdminApi(adminEndpoint()).call('GET', '/ledger')) as LedgerAnswer;

const status: Command = {
  words: ['admin', 'ledger', 'status'],
  args: [],
  summary: 'Show whether Redis contains the ledger.',
  api: 'admin',
  options: {},
  run: async (invocation) => {
    const { json, output } = invocation;
    const answer = await read(invocation);
    if (json) output.json(answer);
    else if (answer.ledger_id !== null) output.line(`Redis contains the ledger ${answer.ledger_id}.`);
    else if (answer.rebuild === null) output.line('Redis contains no ledger, and no operator has reported one yet.');
    else printLoss(output, answer.rebuild);
  },
};

const rebuild: Command = {
  words: ['admin', 'ledger', 'rebuild'],
  args: [],
  summary: 'Rebuild the ledger of an emptied Redis from Tenants and checkpoints. Shows possible losses first.',
  api: 'admin',
  options: { yes: { help: 'Rebuild the ledger. Without this flag, only show possible losses.' } },
  run: async (invocation) => {
    const { json, output, adminEndpoint, has } = invocation;
    const answer = await read(invocation);
    if (answer.rebuild === null) {
      if (json) output.json(answer);
      else
        output.line(answer.ledger_id === null ? 'No operator has reported a ledger yet.' : 'The ledger is complete.');
      return;
    }
    if (!has('yes')) {
      if (json) output.json(answer);
      else printLoss(output, answer.rebuild);
      output.note('Nothing was changed. Run the command with --yes to restore these accounts.');
      return;
    }
    const body = { ledger_id: answer.rebuild.ledger_id };
    const response = await createAdminApi(adminEndpoint()).call('POST', '/ledger/rebuild', { body });
    if (json) output.json(response);
    else
      output.line('The operator is rebuilding the ledger. Run `svc-asr admin ledger status` to see when it is done.');
  },
};

function printLoss(output: Output, { ledger_id: ledgerId, tenants }: NonNullable<LedgerAnswer['rebuild']>): void {
  output.line(`Redis does not contain the ledger ${ledgerId}. It was emptied, or it is the wrong Redis.`);
  output.line('If you have a backup or the right Redis, restore that instead. A rebuild restores this:');
  output.table(
    ['TENANT', 'GRANTED', 'CONSUMED', 'AS OF'],
    tenants.map(({ tenant, granted_ms: granted, consumed_ms: consumed, checkpoint_at: at }) => [
      tenant,
      formatDuration(granted),
      consumed === null ? 'unknown: full grant is restored' : formatDuration(consumed),
      formatTime(at, '-'),
    ]),
  );
  output.line('Lost: charges after that time, live sessions, recent sessions, daily usage, journals,');
  output.line('and grants that no Tenant lists.');
}

export const LEDGER_COMMANDS: readonly Command[] = [status, rebuild];
