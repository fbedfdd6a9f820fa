import { buildPage, buildTable, code } from './markdown.ts';

type Catalogue = Readonly<Record<string, { status: number; type: string; message: string }>>;

/** Builds the page of all errors of the HTTP API. */
export function buildErrorsPage(errors: Catalogue): string {
  const introduction = [
    'Every error of the HTTP API has the body',
    '`{"error": {"type", "code", "message", "request_id"}}`. Handle errors by `code`, which is stable.',
    '`message` is for people and may contain more than the text below. 429 and 503 have a',
    '`Retry-After` header. Include the `request_id` when you ask for help, but never a key or a',
    'credential.',
  ].join('\n');
  const rows = Object.entries(errors).map(([name, { status, type, message }]) => [
    String(status),
    code(name),
    code(type),
    message,
  ]);
  return buildPage('Errors', introduction, [buildTable(['HTTP', 'code', 'type', 'message'], rows)]);
}
