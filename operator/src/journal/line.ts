import type { JournalEntry } from '@svc-asr/ledger';

/** Builds the line of an entry in the exported journal. docs/journal.md describes its fields. */
export function buildLine(tenant: string, entry: JournalEntry): string {
  const at = new Date(Number.parseInt(entry.id)).toISOString();
  const { id, type, subject, granted, reserved, consumed, detail } = entry;
  return JSON.stringify({ tenant, id, at, type, subject, granted, reserved, consumed, detail });
}
