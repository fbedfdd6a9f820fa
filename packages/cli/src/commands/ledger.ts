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
  summary: 'Tell whether Redis holds the accounts.',
  speaksTo: 'admin',
  options: {},
  run: async (invocation) => {
    const { json, output } = invocation;
    const answer = await read(invocation);
    if (json) output.json(answer);
    else if (answer.ledger_id !== null) output.line(`The ledger is there: ${answer.ledger_id}.`);
    else if (answer.rebuild === null) output.line('Redis holds no ledger, and no operator has told of one yet.');
    else tellLoss(output, answer.rebuild);
  },
};

const rebuild: Command = {
  words: ['admin', 'ledger', 'rebuild'],
  args: [],
  summary: 'Restore the accounts of an emptied Redis from Tenants and checkpoints. Tells first what may be lost.',
  speaksTo: 'admin',
  options: { yes: { help: 'Do it. Without this, only what may be lost is told.' } },
  run: async (invocation) => {
    const { json, output, adminEndpoint, has } = invocation;
    const answer = await read(invocation);
    if (answer.rebuild === null) {
      if (json) output.json(answer);
      else output.line(answer.ledger_id === null ? 'No operator has told of a ledger yet.' : 'Nothing is missing.');
      return;
    }
    if (!has('yes')) {
      if (json) output.json(answer);
      else tellLoss(output, answer.rebuild);
      output.note('Nothing was changed. Run it again with --yes to restore the accounts as shown.');
      return;
    }
    const body = { ledger_id: answer.rebuild.ledger_id };
    const asked = await createAdminApi(adminEndpoint()).call('POST', '/ledger/rebuild', { body });
    if (json) output.json(asked);
    else
      output.line(
        'The rebuild was asked for; the operator does it now. `svc-asr admin ledger status` tells when it is done.',
      );
  },
};

function tellLoss(output: Output, { ledger_id: ledgerId, tenants }: NonNullable<LedgerAnswer['rebuild']>): void {
  output.line(`Redis does not hold the ledger ${ledgerId}: it was emptied, or is the wrong one.`);
  output.line('If a backup or the right Redis can be had, bring it back instead. A rebuild restores this:');
  output.table(
    ['TENANT', 'GRANTED', 'CONSUMED', 'AS OF'],
    tenants.map(({ tenant, granted_ms: granted, consumed_ms: consumed, checkpoint_at: at }) => [
      tenant,
      formatDuration(granted),
      consumed === null ? 'unknown: gets all of it anew' : formatDuration(consumed),
      formatTime(at, '-'),
    ]),
  );
  output.line(
    'Lost: what was charged after that time, sessions that are live, recent sessions, daily usage, journals,',
  );
  output.line('and grants that no Tenant lists any more.');
}

export const LEDGER_COMMANDS: readonly Command[] = [status, rebuild];
