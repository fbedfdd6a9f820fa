const SEGMENTER = new Intl.Segmenter();
/**
 * Matches characters that may be part of a larger visible character, such as combining marks. Below U+0300 these are
 * only line breaks.
 */
const NEEDS_SEGMENTS = /[^\u0021-\u02FF]/u;

/**
 * Lines of at most `width` visible characters. Lines are broken between words if possible. Text is added at the end.
 */
export class Lines {
  readonly #width: number;
  readonly #complete: string[] = [];
  #last = '';
  #lastLength = 0;

  constructor(width: number) {
    this.#width = width;
  }

  get all(): string[] {
    return this.#lastLength > 0 ? [...this.#complete, this.#last] : this.#complete;
  }

  /** Number of lines. */
  get count(): number {
    return this.#complete.length + (this.#lastLength > 0 ? 1 : 0);
  }

  /** Adds text after a space. A call takes time in proportion to this text, not to the text that was added before. */
  add(text: string): this {
    for (const word of text.split(/\s+/).filter((part) => part !== '')) this.#addWord(word);
    return this;
  }

  #addWord(word: string): void {
    for (const [at, piece] of pieces(word, this.#width).entries()) {
      const length = this.#lastLength;
      const needed = length === 0 ? piece.length : length + 1 + piece.length;
      if (at === 0 && needed <= this.#width) {
        this.#last += (length === 0 ? '' : ' ') + piece.join('');
        this.#lastLength = needed;
        continue;
      }
      if (length > 0) this.#complete.push(this.#last);
      [this.#last, this.#lastLength] = [piece.join(''), piece.length];
    }
  }
}

/** Splits a text into lines of at most `width` visible characters, between words if possible. */
export function wrapText(text: string, width: number): string[] {
  return new Lines(width).add(text).all;
}

/** Splits a word into pieces of at most `width` visible characters, each as a list of characters. */
function pieces(word: string, width: number): string[][] {
  const characters = NEEDS_SEGMENTS.test(word)
    ? Array.from(SEGMENTER.segment(word), ({ segment }) => segment)
    : Array.from(word);
  const count = Math.max(1, Math.ceil(characters.length / width));
  return Array.from({ length: count }, (_, at) => characters.slice(at * width, (at + 1) * width));
}
