import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts';
import { createNodeFetch } from '../cli/node-fetch.ts';
import type { NodeFetch } from '../cli/node-fetch.ts';

/** A fetch that trusts this authority. */
export function createNodeFetchWith(ca: string): NodeFetch {
  return createNodeFetch(writeCa(ca));
}

/** Writes an authority to a file of its own. */
export function writeCa(ca: string): string {
  const file = join(temporaryFolder('authority'), 'ca.pem');
  writeFileSync(file, ca);
  return file;
}
