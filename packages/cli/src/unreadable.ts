import type { Output } from './output.ts';

/** Says on standard error what a list leaves out because its file cannot be read. */
export function noteUnreadable(output: Output, answer: object): void {
  // A service of an earlier version does not tell.
  const { unreadable = [] } = answer as { unreadable?: { file: string; problem: string }[] };
  for (const { file, problem } of unreadable) {
    output.note(`The list may not be whole. Repair or delete the file ${file}: ${problem}`);
  }
}
