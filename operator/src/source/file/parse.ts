import { checkReconciled } from '@svc-asr/core';
import type { Checked, ReconciledResource } from '@svc-asr/core';
import { isNode, LineCounter, parseAllDocuments } from 'yaml';
import type { Document } from 'yaml';
import { keyOf } from '../source.ts';
import type { ResourceKey } from '../source.ts';
import type { FileProblem } from './problem.ts';

/** A resource and its position in the file. */
export interface FoundResource {
  key: ResourceKey;
  resource: ReconciledResource;
  document: number;
  line: number;
}

export type Parsed = { ok: true; found: FoundResource[] } | { ok: false; problems: FileProblem[] };

/** Validates a value as a resource. */
export type Check = (value: unknown) => Checked<ReconciledResource>;

/**
 * Parses the resources of a file: YAML with any number of documents, or JSON. If one document is invalid, none is used.
 */
export function parseFile(content: string, check: Check = checkReconciled): Parsed {
  const lines = new LineCounter();
  // Pretty errors would quote the content of the file, which must not be logged.
  const parsed = parseAllDocuments(content, { lineCounter: lines, prettyErrors: false, logLevel: 'error' });
  const found: FoundResource[] = [];
  const problems: FileProblem[] = [];
  for (const [at, document] of [...parsed].entries()) {
    const outcome = parseDocument(document, at + 1, lines, check);
    if (outcome.ok) found.push(...outcome.found);
    else problems.push(...outcome.problems);
  }
  problems.push(...findDuplicates(found));
  return problems.length === 0 ? { ok: true, found } : { ok: false, problems };
}

function parseDocument(document: Document.Parsed, number: number, lines: LineCounter, check: Check): Parsed {
  const lineAt = (offset: number) => lines.linePos(offset).line;
  const problem = (offset: number, field: string, message: string): FileProblem => ({
    document: number,
    line: lineAt(offset),
    field,
    message,
  });
  // The parser only warns about an unknown YAML tag and ignores it. We reject the document, because the tag may change
  // the meaning of the value.
  const syntaxProblems = [...document.errors, ...document.warnings];
  if (syntaxProblems.length > 0)
    return { ok: false, problems: syntaxProblems.map(({ pos, message }) => problem(pos[0], '', message)) };
  let value: unknown;
  try {
    value = document.toJS();
  } catch (error) {
    // The document has an alias without an anchor, or so many aliases that they would fill the memory.
    const message = error instanceof Error ? error.message : String(error);
    return { ok: false, problems: [problem(offsetOf(document, ''), '', message)] };
  }
  // An empty document between two separators is not an error.
  if (value === null) return { ok: true, found: [] };
  // The console keeps its Members in the same folder.
  if ((value as { kind?: unknown }).kind === 'Member') return { ok: true, found: [] };
  const checked = check(value);
  if (!checked.ok) {
    const problems = checked.problems.map(({ field, message }) => problem(offsetOf(document, field), field, message));
    // A refused document without any problem would count as an empty one, and its resource as deleted.
    if (problems.length === 0) problems.push(problem(offsetOf(document, ''), '', 'is not a valid resource'));
    return { ok: false, problems };
  }
  const resource = checked.value;
  const key = keyOf(resource.kind, resource.metadata.name);
  return { ok: true, found: [{ key, resource, document: number, line: lineAt(offsetOf(document, 'metadata.name')) }] };
}

/** Returns the offset of a field, or of its nearest existing parent. */
function offsetOf(document: Document.Parsed, field: string): number {
  const path = field === '' ? [] : field.split('.').map((part) => (/^\d+$/.test(part) ? Number(part) : part));
  for (let length = path.length; length > 0; length--) {
    const node = document.getIn(path.slice(0, length), true);
    if (isNode(node) && node.range) return node.range[0];
  }
  return document.contents?.range[0] ?? document.range[0];
}

function findDuplicates(found: readonly FoundResource[]): FileProblem[] {
  const first = new Map<ResourceKey, number>();
  const problems: FileProblem[] = [];
  for (const { key, document, line } of found) {
    const other = first.get(key);
    if (other === undefined) first.set(key, document);
    else problems.push({ document, line, field: 'metadata.name', message: `${key} is in document ${other} already` });
  }
  return problems;
}
