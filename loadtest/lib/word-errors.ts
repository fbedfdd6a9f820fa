/** The words of a text as error rates count them: k6's regular expressions know no classes of letters. */
export function wordsOf(text: string): string[] {
  return text
    .normalize('NFC')
    .toLowerCase()
    .split(/[\s.,;:!?"()]+/)
    .filter((word) => word !== '');
}

/** The least insertions, deletions and substitutions that make one text of the other. */
export function wordErrors(spoken: string, transcript: string): number {
  const got = wordsOf(transcript);
  let row = Array.from({ length: got.length + 1 }, (_, at) => at);
  wordsOf(spoken).forEach((word, i) => {
    const next = [i + 1];
    got.forEach((other, j) => {
      const replaced = (row[j] ?? 0) + (word === other ? 0 : 1);
      next.push(Math.min(replaced, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1));
    });
    row = next;
  });
  return row.at(-1) ?? 0;
}
