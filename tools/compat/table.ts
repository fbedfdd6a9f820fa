import { differentPer1000, MAX_DIFFERENT_PER_1000 } from './compare.ts';
import type { Comparison } from './compare.ts';

/** Outcome of a case. */
export interface CaseResult {
  readonly client: string;
  readonly route: string;
  readonly comparison: Comparison;
  /** Seconds that the sessions must be charged, and seconds that they were charged. */
  readonly expectedSeconds: number;
  readonly chargedSeconds: number;
  /** Message of a client that failed. */
  readonly failure?: string;
}

/** Returns why a case failed, or undefined if it passed. */
export function findFault(result: CaseResult): string | undefined {
  if (result.failure !== undefined) return result.failure;
  const rate = differentPer1000(result.comparison);
  if (rate > MAX_DIFFERENT_PER_1000) {
    return `${rate.toFixed(1)} words in 1,000 differ from the native protocol, and at most ${MAX_DIFFERENT_PER_1000} may`;
  }
  if (result.chargedSeconds !== result.expectedSeconds) {
    return `${result.chargedSeconds} seconds were charged, and the sessions have ${result.expectedSeconds}`;
  }
  return undefined;
}

const HEAD = ['client', 'route', 'files', 'words', 'different', 'per 1,000', 'charged of expected s', 'result'];

/** Builds a Markdown table of the results. */
export function buildTable(results: readonly CaseResult[]): string {
  const rows = results.map((result) => {
    const { files, words, different } = result.comparison;
    return [
      result.client,
      result.route,
      String(files),
      String(words),
      String(different),
      differentPer1000(result.comparison).toFixed(1),
      `${result.chargedSeconds} / ${result.expectedSeconds}`,
      findFault(result) === undefined ? 'ok' : 'FAILED',
    ];
  });
  const lines = [HEAD, HEAD.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`);
  return `${lines.join('\n')}\n`;
}
