import { isAbsolute, relative } from 'node:path';
import { stringify } from 'yaml';
import { root } from '../launch/terminal.mjs';
import type { ImportArguments } from './arguments.ts';

/**
 * Builds the ASRModel of an imported folder. If the arguments have a `url`, `sha256` is the checksum of the archive at
 * this address. Otherwise the resource names the folder, for workers that are processes of this machine.
 */
export function buildResource(
  { id, language, languageCode, url }: ImportArguments,
  folder: string,
  sha256: string | undefined,
): string {
  const inside = relative(root, folder);
  const path = inside.startsWith('..') || isAbsolute(inside) ? folder : inside;
  return stringify({
    apiVersion: 'asr.svc.dev/v1',
    kind: 'ASRModel',
    metadata: { name: id },
    spec: {
      language,
      languageCode,
      artifact: url === undefined ? { path } : { url, sha256 },
      worker: { provider: 'cpu' },
      scaling: { min: 0, max: 2 },
    },
  });
}
