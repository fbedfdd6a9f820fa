import type { Problem } from '@svc-asr/core';

/** What is wrong in a file, and where. */
export interface FileProblem extends Problem {
  /** Documents of a file count from 1; 0: the file as a whole. */
  document: number;
  /** 0 where no line is to blame. */
  line: number;
}

/** A problem of the file as a whole. */
export function wholeFile(message: string): FileProblem {
  return { document: 0, line: 0, field: '', message };
}

/** One line for a person. */
export function describeFileProblems(problems: readonly FileProblem[]): string {
  return problems
    .map(({ document, line, field, message }) => {
      const places = [document > 0 ? `document ${document}` : '', line > 0 ? `line ${line}` : '', field];
      const place = places.filter((part) => part !== '').join(', ');
      return place === '' ? message : `${place}: ${message}`;
    })
    .join('; ');
}
