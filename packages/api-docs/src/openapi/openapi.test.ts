import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { ERRORS, IDEMPOTENCY_KEY } from '@svc-asr/core';
import type { ErrorBody } from '@svc-asr/core';
import type { Operation, Response } from './document.ts';
import { describeResponse } from './lookup.ts';
import { buildOpenApi } from './openapi.ts';
import { findReferences, resolveReference } from '../testing/references.ts';

const document = buildOpenApi();
const ajv = formats.default(new Ajv2020({ strict: true, allErrors: true }));

interface Described {
  path: string;
  method: string;
  operation: Operation;
}
const operations: Described[] = Object.entries(document.paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, operation]) => ({ path, method, operation })),
);
const operationOf = (path: string) => operations.find((described) => described.path === path)!.operation;
const headersOf = (path: string, status: number) =>
  Object.keys(operationOf(path).responses[String(status)]!.headers ?? {});

function everyResponse(): Response[] {
  return [
    ...operations.flatMap(({ operation }) => Object.values(operation.responses)),
    ...Object.values(document.components.responses),
  ];
}

test('the OpenAPI document contains only JSON values', () => {
  expect(JSON.parse(JSON.stringify(document))).toEqual(document);
});

test('every reference in the OpenAPI document resolves', () => {
  const dangling = findReferences(document).filter((ref) => resolveReference(document, ref) === undefined);
  expect(dangling).toEqual([]);
  expect(findReferences(document).length).toBeGreaterThan(50);
});

test('OpenAPI operation ids are unique, and every tag is used and described', () => {
  const ids = operations.map(({ operation }) => operation.operationId);
  expect(new Set(ids).size).toBe(ids.length);
  const tags = new Set(operations.flatMap(({ operation }) => operation.tags));
  expect([...tags].sort()).toEqual(document.tags.map((tag) => tag.name).sort());
});

test('every path parameter of the OpenAPI document is declared in its operation', () => {
  for (const { path, operation } of operations) {
    const inPath = [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]);
    const declared = (operation.parameters ?? []).filter((parameter) => parameter.in === 'path');
    expect(declared.map((parameter) => parameter.name)).toEqual(inPath);
  }
});

test('every response example of the OpenAPI document is valid against its schema', () => {
  let checked = 0;
  for (const { path, method, operation } of operations) {
    for (const status of Object.keys(operation.responses)) {
      const { response, schema } = describeResponse(document, { method, path, status: Number(status) })!;
      if (schema === undefined) continue;
      const validate = ajv.compile(schema);
      for (const example of Object.values(response.content?.['application/json']?.examples ?? {})) {
        expect([validate(example.value), validate.errors]).toEqual([true, null]);
        checked++;
      }
    }
  }
  expect(checked).toBeGreaterThan(Object.keys(ERRORS).length);
});

test('the request examples of POST /v1/asr/sessions are valid, and an unknown field is refused', () => {
  const media = operationOf('/v1/asr/sessions').requestBody!.content['application/json']!;
  const validate = ajv.compile(resolveReference(document, media.schema.$ref!) as object);
  for (const example of Object.values(media.examples!)) expect(validate(example.value)).toBe(true);
  expect(validate({ model: 'm', other: 1 })).toBe(false);
});

test('every header and parameter example of the OpenAPI document is valid against its schema', () => {
  const named = [
    ...Object.values(document.components.headers),
    ...operations.flatMap(({ operation }) => operation.parameters ?? []),
  ];
  for (const { schema, example } of named) expect(ajv.validate(schema, example)).toBe(true);
});

test('the OpenAPI document has an example for each error code of the catalogue, with its type', () => {
  const found = new Map<string, string>();
  for (const response of everyResponse()) {
    for (const { value } of Object.values(response.content?.['application/json']?.examples ?? {})) {
      const { error } = value as Partial<ErrorBody>;
      if (error !== undefined) found.set(error.code, error.type);
    }
  }
  const expected = Object.entries(ERRORS).map(([code, { type }]) => [code, type] as const);
  expect(Object.fromEntries(found)).toEqual(Object.fromEntries(expected));
});

test.each([
  ['/v1/models', [200, 503]],
  ['/v1/asr/sessions', [201, 400, 401, 402, 403, 404, 409, 413, 415, 429, 503]],
  ['/v1/audio/transcriptions', [200, 400, 401, 402, 403, 404, 413, 415, 429, 503]],
  ['/v1/realtime', [101, 400, 401, 403, 404, 429, 503]],
  ['/v1/usage', [200, 401, 403, 429, 503]],
  ['/v1/asr/sessions/{id}', [200, 401, 403, 404, 429, 503]],
  ['/v1/asr/sessions/{id}/stream', [101, 400, 401, 403, 429, 503]],
  ['/openapi.json', [200, 304]],
  ['/asyncapi.json', [200, 304]],
  ['/docs', [200, 304]],
])('the OpenAPI document describes exactly these statuses for the first operation of %s: %j', (path, statuses) => {
  expect(Object.keys(operationOf(path).responses).map(Number)).toEqual(statuses);
});

test('every OpenAPI response documents X-Request-Id, and only 429 and 503 document Retry-After', () => {
  for (const { operation } of operations) {
    for (const [status, { headers = {} }] of Object.entries(operation.responses)) {
      expect(Object.keys(headers)).toContain('X-Request-Id');
      expect(Object.hasOwn(headers, 'Retry-After')).toBe(status === '429' || status === '503');
    }
  }
});

test('in OpenAPI, POST /v1/asr/sessions and GET /v1/usage document WWW-Authenticate for 401 and rate limit headers for 429, and POST /v1/asr/sessions documents Cache-Control for every status', () => {
  for (const status of Object.keys(operationOf('/v1/asr/sessions').responses).map(Number)) {
    expect(headersOf('/v1/asr/sessions', status)).toContain('Cache-Control');
  }
  for (const path of ['/v1/asr/sessions', '/v1/usage']) {
    expect(headersOf(path, 401)).toEqual(['X-Request-Id', 'Cache-Control', 'WWW-Authenticate']);
    expect(headersOf(path, 429)).toEqual(expect.arrayContaining(['RateLimit', 'RateLimit-Policy']));
  }
});

test('in the OpenAPI document, only the operations for sessions, files, realtime and usage require an API key', () => {
  const keyed = operations.filter(({ operation }) => operation.security.length > 0);
  expect(keyed.map(({ method, path }) => `${method} ${path}`)).toEqual([
    'post /v1/asr/sessions',
    'get /v1/asr/sessions/{id}',
    'delete /v1/asr/sessions/{id}',
    'post /v1/audio/transcriptions',
    'get /v1/realtime',
    'get /v1/usage',
  ]);
});

test('the documented Idempotency-Key pattern accepts the same keys as the API', () => {
  const { schema } = operationOf('/v1/asr/sessions').parameters!.find(({ name }) => name === 'Idempotency-Key')!;
  const validate = ajv.compile(schema);
  for (const key of ['', 'a', 'A9._:-', 'a b', 'é', 'a/b', 'x'.repeat(128), 'x'.repeat(129)]) {
    expect([key, validate(key)]).toEqual([key, IDEMPOTENCY_KEY.test(key)]);
  }
});
