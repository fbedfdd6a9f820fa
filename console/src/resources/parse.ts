import { checkResource, describeProblems } from '@svc-asr/core';
import type { Resource } from '@svc-asr/core';
import { parseAllDocuments } from 'yaml';

export interface ParsedFile {
  readonly resources: readonly Resource[];
  /** What is wrong with the file, in words; undefined when every document is a resource. */
  readonly problem: string | undefined;
}

/** Reads the resources of a YAML text, which may hold several documents; one that is wrong does not hide the others. */
export function parseResources(text: string): ParsedFile {
  const resources: Resource[] = [];
  const problems: string[] = [];
  // Pretty errors would quote the file's text, which belongs into no answer.
  for (const document of parseAllDocuments(text, { prettyErrors: false, logLevel: 'error' })) {
    try {
      const error = document.errors[0];
      if (error !== undefined) throw error;
      // Without a bound a few lines of aliases become gigabytes of object.
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
