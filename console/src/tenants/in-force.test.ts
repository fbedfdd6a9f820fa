import { LedgerUnavailable } from '@svc-asr/ledger';
import type { JournalEntry } from '@svc-asr/ledger';
import type { LedgerView } from '../ledger-view.ts';
import { grantInForce } from './in-force.ts';

const entry = (id: string, type: JournalEntry['type'], subject: string): JournalEntry => ({
  id,
  type,
  subject,
  granted: 0,
  reserved: 0,
  consumed: 0,
  detail: '',
});

function ledgerOf(read: LedgerView['journal']['read']): LedgerView {
  const missing = () => Promise.reject(new Error('not asked for'));
  return {
    accounts: { read: missing, dailyUsage: missing, recent: missing },
    journal: { read },
    identity: { read: missing, plan: missing, requestRebuild: missing },
    apiKeys: { find: missing, lastUsed: missing },
  };
}

const patience = { timeoutMs: 1000, intervalMs: 1 };
const NOW = 1_000_000;

test('a grant is looked for in the last minute of the journal, over pages, never twice in the same entries', async () => {
  const asked: (string | undefined)[] = [];
  const pages = [
    Array.from({ length: 1000 }, (_, n) => entry(`950000-${n}`, 'reserve', `s${n}`)),
    [entry('960000-0', 'settle', 'may')],
    [entry('1000001-0', 'grant', 'may')],
  ];
  const ledger = ledgerOf((_tenant, { after }) => Promise.resolve(pages[asked.push(after) - 1] ?? []));
  expect(await grantInForce(ledger, 'acme', 'may', NOW, patience)).toBe(true);
  expect(asked).toEqual(['940000-0', '950000-999', '960000-0']);
});

test('while Redis is away the grant is not in force, and found when it is back', async () => {
  let tries = 0;
  const ledger = ledgerOf(() =>
    ++tries < 3 ? Promise.reject(new LedgerUnavailable('away')) : Promise.resolve([entry('1000001-0', 'grant', 'g')]),
  );
  expect(await grantInForce(ledger, 'acme', 'g', NOW, patience)).toBe(true);
  tries = -1_000_000;
  expect(await grantInForce(ledger, 'acme', 'g', NOW, { timeoutMs: 5, intervalMs: 1 })).toBe(false);
});

test('an error that is not of Redis is not waited out', async () => {
  const ledger = ledgerOf(() => Promise.reject(new Error('a fault of ours')));
  await expect(grantInForce(ledger, 'acme', 'g', NOW, patience)).rejects.toThrow('a fault of ours');
});
