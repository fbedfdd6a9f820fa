import { ModelError } from './error.ts';

/** The pieces of a vocabulary, indexed by id. The last piece is the blank. */
export interface Vocabulary {
  readonly pieces: readonly string[];
  readonly blank: number;
}

const BLANK = '<blk>';

/**
 * Parses the text of `tokens.txt`. It has one `piece id` per line. Ids start at 0 and have no gaps, and `<blk>` is the
 * last piece.
 */
export function parseTokens(text: string): Vocabulary {
  const pieces: string[] = [];
  text
    .split('\n')
    .filter((line) => line !== '')
    .forEach((line, i) => {
      // The id is after the last space, because a piece can contain spaces.
      const cut = line.lastIndexOf(' ');
      const id = Number(line.slice(cut + 1));
      if (cut <= 0 || id !== i) {
        throw new ModelError('tokens_invalid', `tokens.txt line ${i + 1}: expected "piece ${i}", found "${line}"`);
      }
      pieces.push(line.slice(0, cut));
    });
  if (pieces.at(-1) !== BLANK) throw new ModelError('tokens_invalid', `tokens.txt: the last piece must be ${BLANK}`);
  return { pieces, blank: pieces.length - 1 };
}
