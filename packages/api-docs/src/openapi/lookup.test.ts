import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { EXAMPLE_MODELS, EXAMPLE_SESSION } from './examples.ts';
import { closeSchema, describeResponse, findOperation } from './lookup.ts';
import { buildOpenApi } from './openapi.ts';

const document = buildOpenApi();
const ajv = formats.default(new Ajv2020());

test.each([
  ['GET', '/v1/models', 'listModels'],
  ['HEAD', '/v1/models', 'listModels'],
  ['get', '/v1/models?x=1', 'listModels'],
  ['POST', '/v1/asr/sessions', 'createSession'],
  ['GET', '/v1/asr/sessions/0198f2c4-6e03-7c1f-8a64-5b0d9e2f7c31/stream', 'openStream'],
  ['DELETE', '/v1/asr/sessions/0198f2c4-6e03-7c1f-8a64-5b0d9e2f7c31', 'cancelSession'],
  ['GET', '/v1/asr/sessions/', undefined],
  ['POST', '/v1/models', undefined],
  ['GET', '/v1/models/', undefined],
  ['GET', '/', undefined],
])('findOperation of %s %s returns the operation %s', (method, path, operationId) => {
  expect(findOperation(document, method, path)?.operationId).toBe(operationId);
});

test.each([
  ['GET', '/v1/nothing', 404, true],
  ['GET', '/v1/nothing', 405, false],
  ['POST', '/v1/models', 405, true],
  ['POST', '/v1/models', 404, false],
  ['GET', '/v1/models', 405, false],
  ['GET', '/v1/models', 418, false],
])('describeResponse of %s %s with status %i finds a description: %s', (method, path, status, described) => {
  expect(describeResponse(document, { method, path, status }) !== undefined).toBe(described);
});

test('describeResponse lists the header Allow for a 405', () => {
  const answer = describeResponse(document, { method: 'PUT', path: '/v1/usage', status: 405 });
  expect(Object.keys(answer!.headers)).toEqual(['X-Request-Id', 'Cache-Control', 'Allow']);
  expect(answer!.operation).toBeUndefined();
});

test('describeResponse returns a self-contained schema that validates a body', () => {
  const { schema } = describeResponse(document, { method: 'POST', path: '/v1/asr/sessions', status: 201 })!;
  const validate = ajv.compile(schema!);
  const session = EXAMPLE_SESSION;
  expect(validate(session)).toBe(true);
  expect(validate({ ...session, websocket_protocols: ['svc.realtime.v1'] })).toBe(false);
  expect(validate({ ...session, audio: { ...session.audio, context_size: [56, 13, 1] } })).toBe(false);
  expect(validate({ ...session, websocket_url: 'https://asr.example.com' })).toBe(false);
});

test('closeSchema returns a schema that refuses unknown fields, although the published schema allows them', () => {
  const { schema } = describeResponse(document, { method: 'GET', path: '/v1/models', status: 200 })!;
  const grown = { ...EXAMPLE_MODELS, data: EXAMPLE_MODELS.data.map((model) => ({ ...model, more: true })) };
  expect(ajv.compile(schema!)(grown)).toBe(true);
  expect(ajv.compile(closeSchema(schema!))(grown)).toBe(false);
  expect(ajv.compile(closeSchema(schema!))(EXAMPLE_MODELS)).toBe(true);
});
