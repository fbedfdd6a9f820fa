import { ModelError } from './error.ts';

/** The pieces of a vocabulary by id. The last one is the blank. */
export interface Vocabulary {
  readonly pieces: readonly string[];
  readonly blank: number;
}

const BLANK = '<blk>';

/** Parses the text of `tokens.txt`: one `piece id` per line, ids from 0 without gaps, `<blk>` last. */
export function parseTokens(text: string): Vocabulary {
  const pieces: string[] = [];
  text
    .split('\n')
    .filter((line) => line !== '')
    .forEach((line, i) => {
      // A piece may contain a space, but an id never does.
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
