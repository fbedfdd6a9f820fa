import { ENDS, keys, TENANT } from './account-view.ts';
import type { AccountView, JournalLine } from './account-view.ts';
import type { Command } from './machine.ts';
import type { ServedStream } from './process.ts';

/** Ids of the invariants. docs/invariants.md describes them. */
export const INVARIANTS = [
  'CREDIT-SUM',
  'END-ONCE',
  'CHARGE-LIMIT',
  'FINAL-STATE',
  'LOCKS',
  'ONE-OWNER',
  'ONE-STREAM',
  'CREDENTIAL',
  'KEPT-STREAM',
  'STALE-OWNER',
  'DEAD-OWNER',
  'REFUSED-CONNECT',
  'LATE-RESERVE',
  'SESSION-ENDS',
  'NO-ERROR',
] as const;

export interface Violation {
  readonly id: (typeof INVARIANTS)[number];
  readonly what: string;
}

type Violations = Generator<Violation, void>;

const sum = (lines: readonly JournalLine[], field: 'granted' | 'reserved' | 'consumed') =>
  lines.reduce((total, line) => total + line[field], 0);

/** Yields the invariants that one snapshot of Redis violates. */
export function* violationsOf(view: AccountView): Violations {
  yield* creditViolations(view);
  yield* journalViolations(view);
  yield* lockViolations(view);
  yield* ownerViolations(view);
}

function* creditViolations(view: AccountView): Violations {
  const [granted, reserved, consumed] = [view.number('granted'), view.number('reserved'), view.number('consumed')];
  const id = 'CREDIT-SUM';
  if (Math.min(reserved, consumed, granted - reserved - consumed) < 0)
    yield { id, what: `a balance is negative: granted ${granted}, reserved ${reserved}, consumed ${consumed}` };
  for (const [field, value] of Object.entries({ granted, reserved, consumed }) as ['granted', number][]) {
    const total = sum(view.journal, field);
    if (value !== total) yield { id, what: `${field} is ${value}, and the journal adds up to ${total}` };
  }
  const held = [...view.live.keys()].reduce(
    (total, each) => total + Number(view.sessions.get(each)?.get('reserved')),
    0,
  );
  if (reserved !== held) yield { id, what: `${reserved} ms are reserved, and live sessions hold ${held} ms` };
}

function* journalViolations({ journal }: AccountView): Violations {
  const sessions = new Map<string, JournalLine[]>();
  for (const line of journal) {
    if (line.kind === 'reserve' || ENDS.includes(line.kind))
      sessions.set(line.subject, [...(sessions.get(line.subject) ?? []), line]);
  }
  for (const [subject, lines] of sessions) {
    const kinds = lines.map(({ kind }) => kind).join(', ');
    if (lines[0]?.kind !== 'reserve' || lines.length > 2 || lines.filter(({ kind }) => kind === 'reserve').length > 1)
      yield { id: 'END-ONCE', what: `the journal has for session ${subject}: ${kinds}` };
    const [reserve, end] = lines;
    if (end !== undefined && reserve !== undefined && -end.reserved !== reserve.reserved)
      yield { id: 'CREDIT-SUM', what: `session ${subject} reserved ${reserve.reserved} and released ${-end.reserved}` };
    const limit = end?.kind === 'settle' ? (reserve?.reserved ?? 0) : 0;
    if (end !== undefined && (end.consumed < 0 || end.consumed > limit))
      yield {
        id: 'CHARGE-LIMIT',
        what: `session ${subject} was charged ${end.consumed} ms, and the limit is ${limit} ms`,
      };
  }
}

const TERMINAL: readonly (string | undefined)[] = ['completed', 'failed', 'expired'];

function* lockViolations(view: AccountView): Violations {
  const { journal, live, sessions } = view;
  const ended = new Set(journal.filter(({ kind }) => ENDS.includes(kind)).map(({ subject }) => subject));
  const open = journal.filter(({ kind, subject }) => kind === 'reserve' && !ended.has(subject));
  const expected = open
    .map(({ subject }) => subject)
    .sort()
    .join(' ');
  const locked = [...live.keys()].sort().join(' ');
  if (locked !== expected)
    yield { id: 'LOCKS', what: `live sessions are "${locked}", and "${expected}" have not ended` };
  if (live.size > view.number('cc'))
    yield { id: 'LOCKS', what: `${live.size} sessions are live, and ${view.number('cc')} are allowed` };
  for (const [id, session] of sessions) {
    const isTerminal = TERMINAL.includes(session.get('st'));
    if (isTerminal === live.has(id))
      yield {
        id: 'FINAL-STATE',
        what: `session ${id} is ${session.get('st') ?? 'provisional'} and ${live.has(id) ? 'live' : 'not live'}`,
      };
  }
}

function* ownerViolations({ sessions, snapshot }: AccountView): Violations {
  for (const [id, session] of sessions) {
    if (session.get('st') !== 'active') continue;
    const [owner, epoch, connection] = ['ow', 'ep', 'cn'].map((field) => session.get(field) ?? '');
    if (owner === '' || epoch === '' || connection === '')
      yield { id: 'ONE-OWNER', what: `session ${id} is active without an owner` };
    const refused = (session.get('no') ?? '').split(' ');
    if (refused.includes(connection ?? '') || refused.includes(`${owner}:${epoch}`))
      yield { id: 'REFUSED-CONNECT', what: `session ${id} is active for ${owner}, whose connect was refused before` };
    const hasLease = [keys.gateways(), `${keys.gateways()}:dead`].some((name) => snapshot.map(name).has(owner ?? ''));
    if (!hasLease)
      yield { id: 'DEAD-OWNER', what: `session ${id} is active for ${owner}, whose streams were all failed` };
  }
}

/** Yields the invariants that one step of Redis violates. */
export function* stepViolations(before: AccountView, { name, args }: Command, after: AccountView): Violations {
  const kept = after.journal.slice(0, before.journal.length);
  if (JSON.stringify(kept) !== JSON.stringify(before.journal))
    yield { id: 'FINAL-STATE', what: 'a journal line changed' };
  for (const line of before.recent)
    if (line.includes(' ') && !after.recent.includes(line))
      yield { id: 'FINAL-STATE', what: `the ended session changed: ${line}` };
  for (const [id, session] of after.sessions) {
    const earlier = before.sessions.get(id);
    const owner = (each: ReadonlyMap<string, string>) => ['ow', 'ep', 'cn'].map((field) => each.get(field)).join(' ');
    if (earlier?.get('st') === 'active' && session.get('st') === 'active' && owner(earlier) !== owner(session))
      yield { id: 'ONE-OWNER', what: `active session ${id} changed from ${owner(earlier)} to ${owner(session)}` };
    if (TERMINAL.includes(earlier?.get('st')) && earlier?.get('st') !== session.get('st'))
      yield { id: 'FINAL-STATE', what: `session ${id} changed from ${earlier?.get('st')} to ${session.get('st')}` };
  }
  if (!['settle', 'fail', 'chain'].includes(name) || args[0] !== keys.account(TENANT)) return;
  const [, id = '', owner, epoch] = args;
  const session = before.sessions.get(id);
  const isOwner = session?.get('ow') === owner && session?.get('ep') === epoch;
  if (session !== undefined && isOwner) return;
  const [earlier, later] = [before, after].map(({ journal, live, account }) =>
    JSON.stringify([journal, [...live], [...account]]),
  );
  if (earlier !== later)
    yield {
      id: 'STALE-OWNER',
      what: `${name} of session ${id} by ${owner}, which does not own it, changed the account`,
    };
}

/** Beliefs of a process: the streams that it serves, and the sessions that it has cancelled. */
interface Beliefs {
  readonly serves: readonly ServedStream[];
  readonly cancelled: readonly string[];
}

/** Yields the invariants that the beliefs of processes violate. */
export function* processViolations(view: AccountView, processes: readonly Beliefs[]): Violations {
  const served = processes.flatMap(({ serves }) => serves);
  const leases = served.length === 0 ? new Map() : view.snapshot.map(keys.gateways());
  for (const { sessionId, gateway } of served) {
    if (served.some((other) => other.sessionId === sessionId && other.gateway !== gateway))
      yield { id: 'ONE-STREAM', what: `two gateways serve session ${sessionId}` };
    const session = view.sessions.get(sessionId);
    if (view.live.has(sessionId) && session?.get('st') !== 'active')
      yield { id: 'CREDENTIAL', what: `a gateway serves session ${sessionId}, and its credential still works` };
    if (leases.has(gateway) && session?.get('ow') !== gateway)
      yield { id: 'KEPT-STREAM', what: `${gateway} serves session ${sessionId}, which was taken from it` };
  }
  for (const id of processes.flatMap(({ cancelled }) => cancelled))
    if (view.live.has(id))
      yield { id: 'LATE-RESERVE', what: `session ${id} holds credit after its cancel was answered` };
}

/** Yields a violation for all data that Redis still contains although every session must have ended. */
export function* leftovers(view: AccountView): Violations {
  const id = 'SESSION-ENDS';
  if (view.number('reserved') !== 0) yield { id, what: `${view.number('reserved')} ms stay reserved` };
  if (view.live.size > 0) yield { id, what: `sessions stay live: ${[...view.live.keys()].join(' ')}` };
  for (const name of view.snapshot.namesAfter(''))
    if (/:\{g:[^}]*\}:s$/.test(name))
      yield { id, what: `${name} still has streams: ${view.snapshot.list(name).join(', ')}` };
  for (const gateway of view.snapshot.map(`${keys.gateways()}:dead`).keys())
    yield { id, what: `gateway ${gateway} stays in the list of dead ones` };
}
