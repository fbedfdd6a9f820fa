import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Documents } from '@svc-asr/api-docs';

const NAMES: readonly (keyof Documents)[] = ['openapi.json', 'asyncapi.json', 'docs.html', 'docs.headers.json'];

/** Reads the documents that the build has rendered. */
export function readDocuments(): Documents {
  return Object.fromEntries(NAMES.map((name) => [name, readDocument(name)])) as Documents;
}

function readDocument(name: string): string {
  const path = fileURLToPath(import.meta.resolve(`@svc-asr/api-docs/public/${name}`));
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new Error(`cannot read ${path}: run "npm run build" to render it`, { cause: error });
  }
}
