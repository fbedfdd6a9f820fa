import type { Output } from './output.ts';

/** Prints a note for each file that could not be read and is therefore missing from a list. */
export function noteUnreadable(output: Output, answer: object): void {
  // Services of earlier versions do not send this field.
  const { unreadable = [] } = answer as { unreadable?: { file: string; problem: string }[] };
  for (const { file, problem } of unreadable) {
    output.note(`The list may be incomplete. Repair or delete the file ${file}: ${problem}`);
  }
}
