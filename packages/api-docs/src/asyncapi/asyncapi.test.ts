import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { buildOpenApi } from '../openapi/openapi.ts';
import {
  checker,
  CLIENT_MESSAGES,
  CLOSE_CODES,
  CLOSE_REASONS,
  REALTIME_CLIENT_EVENTS,
  REALTIME_SERVER_EVENTS,
  SERVER_MESSAGES,
  STREAM_ERRORS,
} from '@svc-asr/core';
import { buildAsyncApi } from './asyncapi.ts';
import { CLIENT_EXAMPLES, SERVER_EXAMPLES } from './examples.ts';
import { findReferences, resolveReference } from '../testing/references.ts';

const document = buildAsyncApi();
const types = [...Object.keys(CLIENT_MESSAGES), ...Object.keys(SERVER_MESSAGES)];
const realtimeTypes = [...Object.keys(REALTIME_CLIENT_EVENTS), ...Object.keys(REALTIME_SERVER_EVENTS)];
const realtimeNames = realtimeTypes.map((type) => `realtime.${type}`);

/** Returns the messages of the operations of a channel, sorted. */
function messagesOf(channel: string): (string | undefined)[] {
  return Object.values(document.operations)
    .filter((operation) => operation.channel.$ref === `#/channels/${channel}`)
    .flatMap(({ messages }) => messages.map(({ $ref }) => $ref.split('/').at(-1)))
    .sort();
}

const ajv = formats.default(new Ajv2020({ strict: true }));

test('every reference in the AsyncAPI document resolves', () => {
  expect(findReferences(document).filter((ref) => resolveReference(document, ref) === undefined)).toEqual([]);
});

test('the stream channel of the AsyncAPI document has audio and every protocol message, and each message belongs to exactly one operation', () => {
  expect(Object.keys(document.channels.stream.messages)).toEqual(['audio', ...types]);
  expect(messagesOf('stream')).toEqual(['audio', ...types].sort());
});

test('the realtime channel of the AsyncAPI document has every event, and each event belongs to exactly one operation', () => {
  expect(Object.keys(document.channels.realtime.messages)).toEqual(realtimeNames);
  expect(messagesOf('realtime')).toEqual([...realtimeNames].sort());
  expect(Object.keys(buildOpenApi().paths)).toContain(document.channels.realtime.address);
});

test('the AsyncAPI operations for config, flush and reset name their replies', () => {
  const replies = Object.values(document.operations).flatMap(({ messages, reply }) =>
    reply === undefined ? [] : [[messages[0]!.$ref, reply.messages[0]!.$ref].map((ref) => ref.split('/').at(-1))],
  );
  expect(replies).toEqual([
    ['config', 'config_ack'],
    ['flush', 'final'],
    ['reset', 'reset_ack'],
  ]);
});

test.each([...types, ...realtimeNames])(
  'the examples of the message %s are valid against its schema, which refuses another message type',
  (type) => {
    const message = document.components.messages[type]!;
    const validate = ajv.compile({
      $ref: message.payload.$ref!.replace('#/components/schemas/', '#/$defs/'),
      $defs: JSON.parse(JSON.stringify(document.components.schemas).replaceAll('#/components/schemas/', '#/$defs/')),
    });
    expect(message.examples!.length).toBeGreaterThan(0);
    for (const { payload } of message.examples!) {
      expect([validate(payload), validate.errors]).toEqual([true, null]);
      expect(validate({ ...(payload as object), type: 'other' })).toBe(false);
    }
  },
);

test('the examples of server messages have only fields of their schema, and every client message type has examples', () => {
  for (const [type, schema] of Object.entries(SERVER_MESSAGES)) {
    const check = checker<typeof schema>(schema);
    for (const example of SERVER_EXAMPLES[type as keyof typeof SERVER_MESSAGES]) {
      expect(check(example)).toEqual({ ok: true, value: example });
    }
  }
  expect(Object.keys(CLIENT_EXAMPLES)).toEqual(Object.keys(CLIENT_MESSAGES));
});

test('the stream guide lists every error code, close code and close reason', () => {
  const { description } = document.info;
  for (const code of Object.keys(STREAM_ERRORS)) expect(description).toContain(`| \`${code}\` |`);
  for (const code of Object.keys(CLOSE_CODES)) expect(description).toContain(`| ${code} |`);
  for (const reason of Object.keys(CLOSE_REASONS)) expect(description).toContain(`\`${reason}\``);
  expect(Object.keys(document.channels.stream['x-error-codes'])).toEqual(Object.keys(STREAM_ERRORS));
});

test('the OpenAPI and the AsyncAPI document use the same stream path', () => {
  const openApi = buildOpenApi();
  expect(Object.keys(openApi.paths)).toContain(document.channels.stream.address);
});
