import fc from 'fast-check';
import { CLIENT_MESSAGES } from './client.ts';
import { STREAM_LIMITS } from './limits.ts';
import { parseClientMessage } from './parse.ts';

const reasonOf = (text: string) => {
  const parsed = parseClientMessage(text);
  return parsed.ok ? 'ok' : `${parsed.code}: ${parsed.reason}`;
};

test.each([
  ['{"type":"config"}', { type: 'config' }],
  ['{"type":"config","language":"ki","context":[56,3]}', { type: 'config', language: 'ki', context: [56, 3] }],
  ['{"type":"config","endpointing":{"silence_ms":200}}', { type: 'config', endpointing: { silence_ms: 200 } }],
  ['{"type":"config","endpointing":{"silence_ms":5000}}', { type: 'config', endpointing: { silence_ms: 5000 } }],
  ['{"type":"flush"}', { type: 'flush' }],
  [' {"type" : "reset"}\n', { type: 'reset' }],
  ['{"type":"keepalive"}', { type: 'keepalive' }],
])('parseClientMessage parses %s', (text, message) => {
  expect(parseClientMessage(text)).toEqual({ ok: true, message });
});

test('parseClientMessage ignores unknown fields', () => {
  const text = '{"type":"flush","later":1,"__proto__":{"language":"ki"},"language":3}';
  expect(parseClientMessage(text)).toEqual({ ok: true, message: { type: 'flush' } });
});

test.each(['', '{', 'flush', '"flush"', '[]', '[{"type":"flush"}]', 'null', '1', 'true', '{"type":"flush"'])(
  'parseClientMessage refuses %j, which is not a JSON object',
  (text) => {
    expect(reasonOf(text)).toBe(
      'invalid_message: A text message must be a JSON object; audio goes into binary frames.',
    );
  },
);

test.each([
  ['{}', '.'],
  ['{"type":null}', '.'],
  ['{"type":["flush"]}', '.'],
  ['{"type":"flsh"}', ', not flsh.'],
  ['{"type":"Flush"}', '.'],
  ['{"type":"toString"}', '.'],
  ['{"type":"constructor"}', ', not constructor.'],
  ['{"__proto__":{"type":"flush"}}', '.'],
])('parseClientMessage refuses %s because its type is unknown', (text, end) => {
  expect(reasonOf(text)).toBe(`invalid_message: "type" must be one of config, flush, reset, keepalive${end}`);
});

test('parseClientMessage never quotes a credential that a client sends by mistake', () => {
  const secret = `svc.auth.${'x'.repeat(43)}`;
  for (const text of [`{"type":"${secret}"}`, `{"type":"config","language":["${secret}"]}`, secret]) {
    expect(reasonOf(text)).not.toContain(secret);
  }
});

test.each([
  ['{"type":"config","language":1}', 'language: must be string (received 1).'],
  ['{"type":"config","language":null}', 'language: must be string (received null).'],
  ['{"type":"config","context":13}', 'context: must be array (received 13).'],
  ['{"type":"config","context":[56]}', 'context: must not have fewer than 2 items (received [56]).'],
  ['{"type":"config","context":[56,13,1]}', 'context: must not have more than 2 items (received [56, 13, 1]).'],
  ['{"type":"config","context":[56,-1]}', 'context.1: must be at least 0 (received -1).'],
  ['{"type":"config","context":[56,1.5]}', 'context.1: must be integer (received 1.5).'],
])('parseClientMessage names the invalid field of %s and what is wrong with it', (text, reason) => {
  expect(reasonOf(text)).toBe(`invalid_config: ${reason}`);
});

test.each([
  ['ASCII', 'a'],
  ['characters of two and three bytes', 'ũ€'],
  ['surrogate pairs', '😀'],
])('parseClientMessage accepts a message of the maximum size and refuses a larger message (%s)', (_, filler) => {
  const head = '{"type":"flush","pad":"';
  const bytes = (text: string) => new TextEncoder().encode(text).length;
  const free = STREAM_LIMITS.maxMessageBytes - head.length - 2;
  const pad = filler.repeat(Math.floor(free / bytes(filler)));
  const whole = `${head}${pad}${' '.repeat(free - bytes(pad))}"}`;
  expect(bytes(whole)).toBe(STREAM_LIMITS.maxMessageBytes);
  expect(reasonOf(whole)).toBe('ok');
  expect(reasonOf(`${whole} `)).toBe('invalid_message: A text message may have at most 16384 bytes.');
});

test('parseClientMessage never throws for arbitrary text', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string({ unit: 'binary' }), fc.json()), (text) => {
      expect(typeof parseClientMessage(text).ok).toBe('boolean');
    }),
  );
});

test('parseClientMessage returns the known fields of a valid message unchanged', () => {
  const types = fc.constantFrom(...Object.keys(CLIENT_MESSAGES));
  const context = fc.tuple(fc.nat(), fc.nat());
  const optional = fc.record({ language: fc.string(), context, other: fc.jsonValue() }, { requiredKeys: [] });
  fc.assert(
    fc.property(types, optional, (type, { language, context: size, other }) => {
      const parsed = parseClientMessage(JSON.stringify({ other, type, language, context: size }));
      const expected = type === 'config' ? { type, language, context: size } : { type };
      expect(parsed).toEqual({ ok: true, message: expected });
    }),
  );
});

test.each([
  '{}',
  '{"silence_ms":199}',
  '{"silence_ms":5001}',
  '{"silence_ms":500.5}',
  '{"silence_ms":"500"}',
  'null',
  '500',
])('parseClientMessage refuses a config with the endpointing %s as invalid_config', (endpointing) => {
  expect(reasonOf(`{"type":"config","endpointing":${endpointing}}`)).toMatch(/^invalid_config: endpointing/);
});
