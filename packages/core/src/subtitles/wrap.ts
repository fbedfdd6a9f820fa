const SEGMENTER = new Intl.Segmenter();

/** Splits a text into lines of at most `width` visible characters, between words if possible. */
export function wrapText(text: string, width: number): string[] {
  const lines: string[] = [];
  let [line, length] = ['', 0];
  for (const word of text.split(/\s+/).filter((part) => part !== '')) {
    for (const [at, piece] of pieces(word, width).entries()) {
      const needed = length === 0 ? piece.length : length + 1 + piece.length;
      if (at === 0 && needed <= width) {
        line += (length === 0 ? '' : ' ') + piece.join('');
        length = needed;
        continue;
      }
      if (length > 0) lines.push(line);
      [line, length] = [piece.join(''), piece.length];
    }
  }
  return length > 0 ? [...lines, line] : lines;
}

/** Splits a word into pieces that fit a line. */
function pieces(word: string, width: number): string[][] {
  const characters = Array.from(SEGMENTER.segment(word), ({ segment }) => segment);
  const count = Math.max(1, Math.ceil(characters.length / width));
  return Array.from({ length: count }, (_, at) => characters.slice(at * width, (at + 1) * width));
}
