import { METHODS } from './document.ts';
import type { Header, Method, OpenApiDocument, Operation, Response } from './document.ts';
import type { JsonSchema } from '../json-schema.ts';

/** Description of a response in the OpenAPI document. */
export interface DescribedResponse {
  /** Undefined if no operation matches the path and method. */
  operation: Operation | undefined;
  response: Response;
  headers: Record<string, Header>;
  /** A self-contained schema of the body. Undefined if the response has no JSON body. */
  schema: JsonSchema | undefined;
}

/** Finds the operation for a request. HEAD requests belong to GET. */
export function findOperation(document: OpenApiDocument, method: string, path: string): Operation | undefined {
  const item = Object.entries(document.paths).find(([template]) => matches(template, path))?.[1];
  const name = method.toLowerCase() === 'head' ? 'get' : method.toLowerCase();
  return isMethod(name) ? item?.[name] : undefined;
}

/** Finds the description of a response. Undefined if the document does not list this status for the request. */
export function describeResponse(
  document: OpenApiDocument,
  answer: { method: string; path: string; status: number },
): DescribedResponse | undefined {
  const operation = findOperation(document, answer.method, answer.path);
  const response = operation?.responses[String(answer.status)] ?? withoutOperation(document, answer);
  if (response === undefined) return undefined;
  const media = response.content?.['application/json'];
  return {
    operation,
    response,
    headers: Object.fromEntries(
      Object.entries(response.headers ?? {}).flatMap(([name, { $ref }]) => {
        const header = document.components.headers[$ref.slice($ref.lastIndexOf('/') + 1)];
        return header === undefined ? [] : [[name, header]];
      }),
    ),
    schema: media === undefined ? undefined : standalone(document, media.schema),
  };
}

/** Describes 404 for an unknown path, and 405 for a known path with an unknown method. */
function withoutOperation(
  document: OpenApiDocument,
  { method, path, status }: { method: string; path: string; status: number },
): Response | undefined {
  if (findOperation(document, method, path) !== undefined) return undefined;
  const isPath = Object.keys(document.paths).some((template) => matches(template, path));
  if (isPath) return status === 405 ? document.components.responses.MethodNotAllowed : undefined;
  return status === 404 ? document.components.responses.NotFound : undefined;
}

function matches(template: string, path: string): boolean {
  const parts = template.split('/');
  const given = (path.split('?')[0] ?? '').split('/');
  const matchesPart = (part: string, at: number) => (part.startsWith('{') ? given[at] !== '' : part === given[at]);
  return parts.length === given.length && parts.every(matchesPart);
}

function isMethod(name: string): name is Method {
  return (METHODS as readonly string[]).includes(name);
}

/** Adds the named schemas of the document to a schema, so that a validator can resolve its references. */
function standalone(document: OpenApiDocument, schema: JsonSchema): JsonSchema {
  const whole = JSON.stringify({ ...schema, $defs: document.components.schemas });
  return JSON.parse(whole.replaceAll('#/components/schemas/', '#/$defs/')) as JsonSchema;
}

/** Forbids unknown fields in all objects of a schema, so that a test detects fields that are not documented. */
export function closeSchema(schema: JsonSchema): JsonSchema {
  return close(schema) as JsonSchema;
}

function close(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(close);
  if (typeof value !== 'object' || value === null) return value;
  const copy: JsonSchema = Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, close(inner)]));
  return copy.type === 'object' && copy.properties !== undefined ? { ...copy, additionalProperties: false } : copy;
}
