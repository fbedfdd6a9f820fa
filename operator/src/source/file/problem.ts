import type { Problem } from '@svc-asr/core';

/** A problem in a file, with its position. */
export interface FileProblem extends Problem {
  /** Number of the document, starting at 1. 0 for the file as a whole. */
  document: number;
  /** 0 if the problem has no line. */
  line: number;
}

/** Builds a problem of the file as a whole. */
export function wholeFile(message: string): FileProblem {
  return { document: 0, line: 0, field: '', message };
}

/** Formats problems as one line. */
export function describeFileProblems(problems: readonly FileProblem[]): string {
  return problems
    .map(({ document, line, field, message }) => {
      const places = [document > 0 ? `document ${document}` : '', line > 0 ? `line ${line}` : '', field];
      const place = places.filter((part) => part !== '').join(', ');
      return place === '' ? message : `${place}: ${message}`;
    })
    .join('; ');
}
