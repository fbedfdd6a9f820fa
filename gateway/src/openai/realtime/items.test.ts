import type { ServerMessage } from '@svc-asr/core';
import type { EndedBy } from './ends.ts';
import { Items } from './items.ts';

function final(text: string, endpoint = false): ServerMessage {
  const span = { utterance: 1, audio_start_ms: 0, audio_end_ms: 10 };
  return { type: 'final', text, words: [], ...span, ...(endpoint ? { endpoint: true } : {}) };
}

/** Creates items, and a function that translates a message to events with shortened type names. */
function createItems() {
  const items = new Items();
  const translate = (message: ServerMessage, endedBy: EndedBy = 'client') =>
    items.translate(message, 0, endedBy).map(({ type, item_id, transcript }) => ({
      type: type.split('.').at(-1),
      id: item_id,
      transcript,
    }));
  const speak = (endedBy: EndedBy = 'client') =>
    translate({ type: 'speech_started', utterance: 1, audio_start_ms: 0 }, endedBy)[0]?.id;
  return { items, translate, speak };
}

describe('Items', () => {
  test('completes the current item with a final that the service caused, and the item of a pending commit with the next final', () => {
    const { items, translate, speak } = createItems();
    const current = speak();
    const [committed] = items.commit(false, false);
    expect(speak('service')).toBe(current);
    expect(translate(final('one'), 'service').at(-1)).toEqual({ type: 'completed', id: current, transcript: 'one' });
    const completed = translate(final('two')).at(-1);
    expect(completed).toEqual({ type: 'completed', id: committed?.item_id, transcript: 'two' });
  });

  test('if the service detected a turn before a commit, completes the turn with the first final and the commit with the second final', () => {
    const { items, translate, speak } = createItems();
    const turn = speak();
    expect(items.commit(true, true)).toEqual([]);
    expect(translate(final('one', true)).at(-1)).toMatchObject({ id: turn, transcript: 'one' });
    const events = translate(final(''));
    expect(events.map(({ type }) => type)).toEqual(['committed', 'completed']);
    expect(events[0]?.id).not.toBe(turn);
  });

  test('completes a turn that ended before clear() was called, and drops a turn that was still in progress', () => {
    const { items, translate, speak } = createItems();
    const first = speak();
    items.clear(true);
    expect(translate(final('one', true)).at(-1)).toMatchObject({ id: first, transcript: 'one' });
    const cleared = speak();
    expect(translate({ type: 'reset_ack', utterance: 2 }).map(({ type }) => type)).toEqual(['cleared']);
    expect(new Set([first, cleared, speak()]).size).toBe(3);
  });
});
