import { IDLE, MAX_EVENTS, reduce } from './state.ts';
import type { Change, PlaygroundState } from './state.ts';

function received(event: { type: string; [field: string]: unknown }): Change {
  return { type: 'event', atMs: 0, direction: 'received', event };
}

function apply(...changes: Change[]): PlaygroundState {
  return changes.reduce(reduce, reduce(IDLE, { type: 'started' }));
}

test('a delta replaces the transcript of the current utterance', () => {
  const { partial, finals } = apply(received({ type: 'delta', text: 'a' }), received({ type: 'delta', text: 'a b' }));
  expect({ partial, finals }).toEqual({ partial: 'a b', finals: [] });
});

test('a final finishes the utterance, and a final without text adds nothing', () => {
  const final = (text: string) => received({ type: 'final', text });
  const { partial, finals } = apply(received({ type: 'delta', text: 'a' }), final('a b'), final(''), final('c'));
  expect({ partial, finals }).toEqual({ partial: '', finals: ['a b', 'c'] });
});

test('the text of an unfinished utterance is kept as a final when the stream ends', () => {
  const end = {
    code: 1006,
    reason: '',
    isNormal: false,
    isUnopened: false,
    meaning: 'The connection broke.',
    action: '',
  };
  const state = apply(received({ type: 'delta', text: 'half' }), { type: 'ended', end });
  expect(state).toMatchObject({ phase: 'idle', partial: '', finals: ['half'], end });
});

test('a status message of the service is shown until the stream is ready', () => {
  const waiting = apply(
    { type: 'created', sessionId: 's' },
    received({ type: 'status', state: 'waiting_for_capacity', message: 'Waiting for a worker.' }),
  );
  expect(waiting).toMatchObject({ phase: 'waiting', status: 'Waiting for a worker.' });
  expect(reduce(waiting, received({ type: 'ready' }))).toMatchObject({ phase: 'listening', status: '' });
});

test('a message `ready` does not restart a recognition whose audio has already ended', () => {
  const state = apply({ type: 'created', sessionId: 's' }, { type: 'phase', phase: 'finishing' });
  expect(reduce(state, received({ type: 'ready' })).phase).toBe('finishing');
});

test('an action `phase` that arrives after a failure does not restart the failed recognition', () => {
  const state = apply({ type: 'failed', code: 'x', message: 'y' }, { type: 'phase', phase: 'finishing' });
  expect(state).toMatchObject({ phase: 'idle', problem: { code: 'x', message: 'y' } });
});

test('a new recognition removes the results of the previous recognition', () => {
  const state = apply(received({ type: 'final', text: 'a' }), { type: 'latency', kind: 'final', latencyMs: 5 });
  expect(reduce(state, { type: 'started' })).toEqual({ ...IDLE, phase: 'asking' });
});

test('the list of events drops its oldest events above the limit, and every event keeps its own id', () => {
  const { events } = apply(...Array.from({ length: MAX_EVENTS + 2 }, () => received({ type: 'delta', text: '' })));
  expect(events).toHaveLength(MAX_EVENTS);
  expect([events[0]?.id, events.at(-1)?.id]).toEqual([3, MAX_EVENTS + 2]);
});
