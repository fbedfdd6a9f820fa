import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { buildOpenApi } from '../api/openapi.ts';
import { checker } from '../validate.ts';
import { buildAsyncApi } from './asyncapi.ts';
import { CLIENT_MESSAGES } from './client.ts';
import { CLOSE_CODES, CLOSE_REASONS } from './close.ts';
import { STREAM_ERRORS } from './errors.ts';
import { CLIENT_EXAMPLES, SERVER_EXAMPLES } from './examples.ts';
import { SERVER_MESSAGES } from './server.ts';

const document = buildAsyncApi({ version: '1.0.0', publicUrl: 'https://asr.example.com' });
const types = [...Object.keys(CLIENT_MESSAGES), ...Object.keys(SERVER_MESSAGES)];
const ajv = formats.default(new Ajv2020({ strict: true }));

function everyRef(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => (key === '$ref' ? [inner as string] : everyRef(inner)));
}

function resolve(ref: string): unknown {
  return ref
    .slice(2)
    .split('/')
    .reduce<unknown>((at, part) => (at as Record<string, unknown> | undefined)?.[part], document);
}

test('every reference points at something', () => {
  expect(everyRef(document).filter((ref) => resolve(ref) === undefined)).toEqual([]);
});

test('the channel has audio and every message of the protocol, and each belongs to an operation', () => {
  expect(Object.keys(document.channels.stream.messages)).toEqual(['audio', ...types]);
  const used = Object.values(document.operations).flatMap(({ messages }) => messages.map(({ $ref }) => $ref));
  expect(used.map((ref) => ref.split('/').at(-1)).sort()).toEqual(['audio', ...types].sort());
});

test('config, flush and reset name their answers', () => {
  const replies = Object.values(document.operations).flatMap(({ messages, reply }) =>
    reply === undefined ? [] : [[messages[0]!.$ref, reply.messages[0]!.$ref].map((ref) => ref.split('/').at(-1))],
  );
  expect(replies).toEqual([
    ['config', 'config_ack'],
    ['flush', 'final'],
    ['reset', 'reset_ack'],
  ]);
});

test.each(types)('the examples of %s are valid against its schema, and another type is not', (type) => {
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
});

test('the examples have no field that their schema does not list', () => {
  for (const [type, schema] of Object.entries(SERVER_MESSAGES)) {
    const check = checker<typeof schema>(schema);
    for (const example of SERVER_EXAMPLES[type as keyof typeof SERVER_MESSAGES]) {
      expect(check(example)).toEqual({ ok: true, value: example });
    }
  }
  expect(Object.keys(CLIENT_EXAMPLES)).toEqual(Object.keys(CLIENT_MESSAGES));
});

test('the description has every error code, close code and close reason, and no other error code', () => {
  const { description } = document.info;
  for (const code of Object.keys(STREAM_ERRORS)) expect(description).toContain(`| \`${code}\` |`);
  for (const code of Object.keys(CLOSE_CODES)) expect(description).toContain(`| ${code} |`);
  for (const reason of Object.keys(CLOSE_REASONS)) expect(description).toContain(`\`${reason}\``);
  expect(Object.keys(document.channels.stream['x-error-codes'])).toEqual(Object.keys(STREAM_ERRORS));
});

test.each([
  ['https://asr.example.com', { host: 'asr.example.com', protocol: 'wss' }],
  ['https://localhost:8443', { host: 'localhost:8443', protocol: 'wss' }],
  ['https://example.com/asr', { host: 'example.com', protocol: 'wss', pathname: '/asr' }],
])('the server of %s is %j', (publicUrl, server) => {
  expect(buildAsyncApi({ version: '1.0.0', publicUrl }).servers.service).toMatchObject(server);
});

test('both documents name the same path of the stream', () => {
  const openApi = buildOpenApi({ version: '1.0.0', publicUrl: 'https://asr.example.com' });
  expect(Object.keys(openApi.paths)).toContain(document.channels.stream.address);
});
