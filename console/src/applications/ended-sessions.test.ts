import { buildApplication } from './application.ts';
import { ENDED_SESSIONS_ANNOTATION, isSessionEnded, withEndedSession } from './ended-sessions.ts';

const NOW = 1_800_000_000_000;
const tenant = buildApplication({ name: 'N', email: 'n@example.org', use: 'u' }, () => 1);
const session = (id: string, expiresAtMs = NOW + 1000) => ({ id, expiresAtMs });
/** Ends sessions one after the other. */
const end = (...sessions: { id: string; expiresAtMs: number }[]) =>
  sessions.reduce((current, each) => withEndedSession(current, each, NOW), tenant);

test('withEndedSession marks the given session as ended, and no other session', () => {
  const changed = end(session('a'), session('b'));
  expect(['a', 'b', 'c'].map((id) => isSessionEnded(changed, session(id)))).toEqual([true, true, false]);
  expect(isSessionEnded(tenant, session('a'))).toBe(false);
});

test('withEndedSession lists a session only once, and only until the session expires', () => {
  const changed = end(session('a'), session('a'), session('b', NOW + 2000));
  expect(changed.metadata.annotations?.[ENDED_SESSIONS_ANNOTATION]).toBe(`0 a:${NOW + 1000} b:${NOW + 2000}`);
  const later = withEndedSession(changed, session('c', NOW + 9000), NOW + 1500);
  expect(later.metadata.annotations?.[ENDED_SESSIONS_ANNOTATION]).toBe(`0 b:${NOW + 2000} c:${NOW + 9000}`);
});

test('a tenant lists at most 50 ended sessions, and a session that is dropped from the full list still counts as ended', () => {
  const sessions = Array.from({ length: 60 }, (_, at) => session(`s${at}`, NOW + 1000 + at));
  const changed = end(...sessions);
  expect(changed.metadata.annotations?.[ENDED_SESSIONS_ANNOTATION]?.split(' ')).toHaveLength(51);
  expect(sessions.filter((each) => !isSessionEnded(changed, each))).toEqual([]);
  expect(isSessionEnded(changed, session('new', NOW + 2000))).toBe(false);
});
