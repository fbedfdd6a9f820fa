import { checkResource, describeProblems } from '@svc-asr/core';
import type { Resource } from '@svc-asr/core';
import { parseAllDocuments } from 'yaml';

export interface ParsedFile {
  readonly resources: readonly Resource[];
  /** Problems of the file. Undefined if every document is a valid resource. */
  readonly problem: string | undefined;
}

/** Parses the resources of a YAML text with one or more documents. An invalid document does not hide the others. */
export function parseResources(text: string): ParsedFile {
  const resources: Resource[] = [];
  const problems: string[] = [];
  // Pretty errors would quote the text of the file, which may contain secrets.
  for (const document of parseAllDocuments(text, { prettyErrors: false, logLevel: 'error' })) {
    try {
      const error = document.errors[0];
      if (error !== undefined) throw error;
      // Without a limit, a few lines with aliases could expand to gigabytes.
      const value: unknown = document.toJS({ maxAliasCount: 100 });
      if (value === null) continue;
      const checked = checkResource(value);
      if (checked.ok) resources.push(checked.value);
      else problems.push(describeProblems(checked.problems) || 'a document is not a valid resource');
    } catch (error) {
      problems.push(error instanceof Error ? error.message : String(error));
    }
  }
  return { resources, problem: problems.length === 0 ? undefined : problems.join('; ') };
}
