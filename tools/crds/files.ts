import { KINDS } from '@svc-asr/core';
import { stringify } from 'yaml';
import { buildDefinition } from './definition.ts';
import { pluralOf } from './kinds.ts';
import { buildResourcesPage } from './page.ts';

const NOTICE =
  '# Generated from packages/core/src/resources by `npm run crds`. A test fails if this file is not up to date.\n';

/** Builds every generated file, by its path from the root of the repository. */
export function buildFiles(): Readonly<Record<string, string>> {
  const files: Record<string, string> = { 'docs/resources.md': buildResourcesPage() };
  for (const kind of KINDS) {
    const text = stringify(buildDefinition(kind), { lineWidth: 0, aliasDuplicateObjects: false });
    files[`crds/${pluralOf(kind)}.yaml`] = NOTICE + text;
  }
  return files;
}
