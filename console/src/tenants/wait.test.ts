import { LedgerUnavailable } from '@svc-asr/ledger';
import type { JournalEntry } from '@svc-asr/ledger';
import type { LedgerView } from '../ledger-view.ts';
import { waitUntilGrantApplied } from './wait.ts';

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
  const missing = () => Promise.reject(new Error('unexpected call'));
  return {
    accounts: { read: missing, dailyUsage: missing, usageBetween: missing, usageByKey: missing },
    refusals: { list: missing },
    sessionHistory: { list: missing, find: missing },
    journal: { read, tenants: missing },
    identity: { read: missing, plan: missing, requestRebuild: missing },
    fleet: { gateways: missing, pool: missing },
    memory: { read: missing },
    pools: { contexts: missing },
    catalogue: { read: missing },
    endedAdminSessions: { read: missing, add: missing },
    audit: { append: missing, read: missing },
    consoleSessions: { put: missing, find: missing, end: missing, endAll: missing },
    mailMarks: { claim: missing, release: missing },
    apiKeys: { find: missing, lastUsed: missing },
    purge: { requests: { submit: missing, withdraw: missing, answerTo: missing } },
  };
}

const polling = { timeoutMs: 60_000, intervalMs: 1 };
const NOW = 1_000_000;

test('waitUntilGrantApplied reads the last minute of the journal page by page, and reads no entry twice', async () => {
  const requested: (string | undefined)[] = [];
  const pages = [
    Array.from({ length: 1000 }, (_, n) => entry(`950000-${n}`, 'reserve', `s${n}`)),
    [entry('960000-0', 'settle', 'may')],
    [entry('1000001-0', 'grant', 'may')],
  ];
  const ledger = ledgerOf((_tenant, { after }) => Promise.resolve(pages[requested.push(after) - 1] ?? []));
  expect(await waitUntilGrantApplied(ledger, 'acme', 'may', NOW, polling)).toBe(true);
  expect(requested).toEqual(['940000-0', '950000-999', '960000-0']);
});

test('waitUntilGrantApplied continues to wait while Redis is unavailable, and returns false on timeout', async () => {
  let tries = 0;
  const ledger = ledgerOf(() =>
    ++tries < 3 ? Promise.reject(new LedgerUnavailable('down')) : Promise.resolve([entry('1000001-0', 'grant', 'g')]),
  );
  expect(await waitUntilGrantApplied(ledger, 'acme', 'g', NOW, polling)).toBe(true);
  tries = -1_000_000;
  expect(await waitUntilGrantApplied(ledger, 'acme', 'g', NOW, { timeoutMs: 5, intervalMs: 1 })).toBe(false);
});

test('waitUntilGrantApplied fails without a retry on an error other than an unavailable Redis', async () => {
  const ledger = ledgerOf(() => Promise.reject(new Error('unexpected failure')));
  await expect(waitUntilGrantApplied(ledger, 'acme', 'g', NOW, polling)).rejects.toThrow('unexpected failure');
});
