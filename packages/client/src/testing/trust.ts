import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createNodeFetch } from '../cli/node-fetch.ts';
import type { NodeFetch } from '../cli/node-fetch.ts';

/** A fetch that trusts this authority. */
export function createNodeFetchWith(ca: string): NodeFetch {
  return createNodeFetch(writeCa(ca));
}

/** Writes an authority to a file of its own. */
export function writeCa(ca: string): string {
  const file = join(mkdtempSync(join(tmpdir(), 'authority-')), 'ca.pem');
  writeFileSync(file, ca);
  return file;
}
