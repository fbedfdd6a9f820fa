import { Ajv2020 } from 'ajv/dist/2020.js';
import type { ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { closeSchema, describeResponse } from '@svc-asr/api-docs';
import type { DescribedResponse, OpenApi } from '@svc-asr/api-docs';
import type { Answer } from './answer.ts';

/** Throws if a response does not conform to the service's OpenAPI document. */
export type CheckAnswer = (method: string, path: string, answer: Answer) => void;

/**
 * Creates a check of responses against the OpenAPI document of the service. The status must be described, required
 * headers present, and the body must match its schema without additional fields.
 */
export function createCheck(document: OpenApi.OpenApiDocument): CheckAnswer {
  const ajv = formats.default(new Ajv2020({ allErrors: true, strict: false }));
  const compiled = new Map<string, ValidateFunction>();

  function validate(schema: object, value: unknown): string[] {
    const text = JSON.stringify(schema);
    const known = compiled.get(text) ?? ajv.compile(schema);
    compiled.set(text, known);
    if (known(value)) return [];
    return (known.errors ?? []).map((error) => `${error.instancePath} ${error.message ?? ''}`);
  }

  function headerProblems({ headers }: DescribedResponse, answer: Answer): string[] {
    return Object.entries(headers).flatMap(([name, { required, schema }]) => {
      const text = answer.headers[name.toLowerCase()];
      if (text === undefined) return required ? [`the header ${name} is missing`] : [];
      const value = schema.type === 'integer' && /^\d+$/.test(String(text)) ? Number(text) : text;
      return validate(schema, value).map((problem) => `the header ${name}${problem}`);
    });
  }

  function bodyProblems({ schema, response }: DescribedResponse, method: string, answer: Answer): string[] {
    if (method === 'HEAD' || response.content === undefined) return answer.text === '' ? [] : ['there is a body'];
    const [mediaType = ''] = Object.keys(response.content);
    const problems = answer.headers['content-type'] === `${mediaType}; charset=utf-8` ? [] : [`it is not ${mediaType}`];
    if (schema === undefined) return problems;
    return [...problems, ...validate(closeSchema(schema), answer.body).map((problem) => `the body: ${problem}`)];
  }

  return (method, path, answer) => {
    const described = describeResponse(document, { method, path, status: answer.status });
    const problems =
      described === undefined
        ? ['/openapi.json does not describe this response']
        : [...headerProblems(described, answer), ...bodyProblems(described, method, answer)];
    const requestId = (answer.body as { error?: { request_id?: string } } | undefined)?.error?.request_id;
    if (requestId !== undefined && requestId !== answer.headers['x-request-id']) {
      problems.push('request_id is not the one of the header X-Request-Id');
    }
    if (problems.length === 0) return;
    throw new Error(`${method} ${path} answered ${answer.status}, but ${problems.join('; ')}\n${answer.text}`);
  };
}
