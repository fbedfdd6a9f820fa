import { createRedisKeys } from '../../keys.ts';
import type { Snapshot } from './snapshot.ts';

export const PREFIX = 'm';
export const TENANT = 't';
export const keys = createRedisKeys(PREFIX);

/** Prefix of all keys of the tenant. */
const BASE = keys.account(TENANT).slice(0, -1);

/** A line of the journal. */
export interface JournalLine {
  readonly kind: string;
  readonly subject: string;
  readonly granted: number;
  readonly reserved: number;
  readonly consumed: number;
}

/** Kinds of journal lines that end a session. */
export const ENDS: readonly string[] = ['settle', 'fail', 'expire', 'cancel'];

/** The account of the tenant and its sessions, as one snapshot of Redis contains them. */
export class AccountView {
  readonly account: ReadonlyMap<string, string>;
  /** Sessions that have not ended, with their deadlines. */
  readonly live: ReadonlyMap<string, string>;
  /** Hashes of sessions by session id. */
  readonly sessions: ReadonlyMap<string, ReadonlyMap<string, string>>;
  readonly journal: readonly JournalLine[];
  /** The list of recent sessions. It has a line for each ended session, and the id of each live session. */
  readonly recent: readonly string[];
  readonly snapshot: Snapshot;

  constructor(snapshot: Snapshot) {
    this.snapshot = snapshot;
    this.account = snapshot.map(keys.account(TENANT));
    this.live = snapshot.map(keys.live(TENANT));
    const ids = snapshot.namesAfter(`${BASE}s:`);
    this.sessions = new Map(ids.map((id) => [id, snapshot.map(keys.session(TENANT, id))]));
    this.journal = snapshot.list(keys.journal(TENANT)).map(readLine);
    this.recent = snapshot.list(keys.recent(TENANT));
  }

  /** Returns a numeric field of the account. 0 if the field is absent. */
  number(field: string): number {
    return Number(this.account.get(field) ?? 0);
  }
}

function readLine(line: string): JournalLine {
  const [kind = '', subject = '', granted, reserved, consumed] = line.split(' ');
  return { kind, subject, granted: Number(granted), reserved: Number(reserved), consumed: Number(consumed) };
}
