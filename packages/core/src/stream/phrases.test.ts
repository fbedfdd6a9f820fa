import { RELAY_LIMITS } from '../relay.ts';
import { PHRASE_LIMITS } from './limits.ts';
import { parseClientMessage } from './parse.ts';

const { maxPhrases, maxCharacters, minBoost, maxBoost } = PHRASE_LIMITS;

/** Returns the reason for which a config with these phrases is refused. `ok` if it is accepted unchanged. */
function reasonOf(phrases: unknown): string {
  const parsed = parseClientMessage(JSON.stringify({ type: 'config', phrases }));
  if (!parsed.ok) return `${parsed.code}: ${parsed.reason}`;
  expect(parsed.message).toEqual({ type: 'config', phrases });
  return 'ok';
}

test.each([
  ["Murang'a"],
  ['Murang\u2019a'],
  ['nĩ'],
  ['u\u0303'],
  ['Oginga Odinga'],
  ['covid-19'],
  ['7'],
  ['ሰላም'],
  ['a'.repeat(maxCharacters)],
])('parseClientMessage accepts the phrase "%s"', (text) => {
  expect(reasonOf([{ text }])).toBe('ok');
});

test.each(['', ' ', ' a', 'a ', 'a  b', 'a\tb', 'a.', 'a\u0000', '<b>', '😀', '\ud800'])(
  'parseClientMessage refuses the phrase %j and reports the rule that it breaks',
  (text) => {
    expect(reasonOf([{ text }])).toMatch(/^invalid_config: phrases\.0\.text: must (consist of words|not have fewer)/);
  },
);

test('parseClientMessage refuses a phrase that is too long', () => {
  expect(reasonOf([{ text: 'a'.repeat(maxCharacters + 1) }])).toMatch(
    /^invalid_config: phrases\.0\.text: must not have/,
  );
});

test('parseClientMessage accepts a message with the maximum number of phrases and refuses one phrase more', () => {
  const phrases = Array.from({ length: maxPhrases }, (_, i) => ({ text: `a${i}` }));
  expect(reasonOf([])).toBe('ok');
  expect(reasonOf(phrases)).toBe('ok');
  expect(reasonOf([...phrases, { text: 'b' }])).toBe('invalid_config: phrases: must not have more than 50 items.');
});

test.each([
  [minBoost, 'ok'],
  [2.5, 'ok'],
  [maxBoost, 'ok'],
  [minBoost - 0.1, 'invalid_config: phrases.0.boost: must be at least 1 (received 0.9).'],
  [maxBoost + 0.1, 'invalid_config: phrases.0.boost: must be at most 10 (received 10.1).'],
  ['5', 'invalid_config: phrases.0.boost: must be number (received "5").'],
  [null, 'invalid_config: phrases.0.boost: must be number (received null).'],
])('parseClientMessage for a phrase with the boost %j returns "%s"', (boost, reason) => {
  expect(reasonOf([{ text: 'nyeri', boost }])).toBe(reason);
});

test.each([
  ['nyeri', 'phrases: must be array (received "nyeri").'],
  [['nyeri'], 'phrases.0: must be object (received "nyeri").'],
  [[{ boost: 5 }], 'phrases.0.text: is required.'],
  [[{ text: 5 }], 'phrases.0.text: must be string (received 5).'],
])('parseClientMessage refuses the phrases %j with the reason "%s"', (phrases, reason) => {
  expect(reasonOf(phrases)).toBe(`invalid_config: ${reason}`);
});

test('parseClientMessage reports only the first problems if a config has many invalid phrases', () => {
  const reason = reasonOf(Array.from({ length: 1000 }, () => ({ text: '!' })));
  expect(reason.length).toBeLessThan(800);
});

test('the maximum number of phrases of maximum length fits into an open message of the relay protocol', () => {
  // Each of these characters takes four bytes.
  const phrases = Array.from({ length: maxPhrases }, () => ({
    text: '\u{1e900}'.repeat(maxCharacters),
    boost: 1.2345678901234567,
  }));
  const [ticket, traceparent] = ['t'.repeat(2048), 't'.repeat(128)];
  const endpointing = { silence_ms: 5000, not_before: 10_000_000 };
  const open = {
    type: 'open',
    context: [56, 13],
    endpointing,
    phrases,
    realtime_from: 10_000_000,
    traceparent,
    ticket,
  };
  expect(Buffer.byteLength(JSON.stringify(open))).toBeLessThan(RELAY_LIMITS.maxMessageBytes);
});
