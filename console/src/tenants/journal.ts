import type { JournalEntry } from '@svc-asr/ledger';

/**
 * Yields a journal as lines of JSON, one string per page. A page is read only after the reader has consumed the
 * previous one.
 */
export async function* journalLines(
  tenant: string,
  first: readonly JournalEntry[],
  pageEntries: number,
  read: (after: string) => Promise<readonly JournalEntry[]>,
): AsyncGenerator<string> {
  for (let page = first; ;) {
    if (page.length > 0) yield page.map((entry) => `${JSON.stringify(viewEntry(tenant, entry))}\n`).join('');
    const last = page.at(-1);
    if (last === undefined || page.length < pageEntries) return;
    page = await read(last.id);
  }
}

function viewEntry(tenant: string, { id, type, subject, granted, reserved, consumed, detail }: JournalEntry) {
  const at = new Date(Number(id.split('-')[0])).toISOString();
  return { tenant, id, at, type, subject, granted_ms: granted, reserved_ms: reserved, consumed_ms: consumed, detail };
}
