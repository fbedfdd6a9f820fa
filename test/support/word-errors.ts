/** The words of a text as error rates count them. */
export function wordsOf(text: string): string[] {
  return (
    text
      .normalize('NFC')
      .toLowerCase()
      .match(/[\p{L}']+/gu) ?? []
  );
}

/** Word errors of transcripts over the words that were said, in percent over all of them together. */
export function wordErrorRate(spoken: readonly string[], transcripts: readonly string[]): number {
  const words = spoken.reduce((sum, text) => sum + wordsOf(text).length, 0);
  const errors = spoken.reduce((sum, text, at) => sum + wordErrors(text, transcripts[at] ?? ''), 0);
  return (100 * errors) / words;
}

/** The least insertions, deletions and substitutions. */
function wordErrors(spoken: string, transcript: string): number {
  const [said, got] = [wordsOf(spoken), wordsOf(transcript)];
  let row = Array.from({ length: got.length + 1 }, (_, at) => at);
  for (const [i, word] of said.entries()) {
    const next = [i + 1];
    for (const [j, other] of got.entries()) {
      next.push(Math.min(row[j]! + (word === other ? 0 : 1), row[j + 1]! + 1, next[j]! + 1));
    }
    row = next;
  }
  return row.at(-1)!;
}
