/** A phrase that a client expects in the audio. */
export interface Phrase {
  readonly text: string;
  /**
   * Strength of the preference. Each character of the phrase adds `boost * BOOST_UNIT` to the score of a text that
   * contains the phrase.
   */
  readonly boost: number;
}

/** Score of one character with a boost of 1. It is added to natural logarithms of probabilities. */
const BOOST_UNIT = 0.2;
const SPACE = 0x20;

/**
 * A position in the phrases. All phrases that start with the same characters share the positions of these characters.
 */
export interface PhraseNode {
  /** Last character of the text from the start of a phrase to this position. */
  readonly char: number;
  /**
   * First of the positions that follow this position after one further character. These positions form a list through
   * `sibling`, because a map would need more memory.
   */
  child: PhraseNode | undefined;
  sibling: PhraseNode | undefined;
  /** Position of the longest proper suffix of this position's text that is the start of a phrase. */
  fail: PhraseNode | undefined;
  /**
   * Score of a text at this position, including a phrase that is not complete. If the text does not continue as the
   * phrase does, only the score of complete phrases remains.
   */
  pending: number;
  /** Score of the phrase that ends here. 0 if no phrase ends here. */
  whole: number;
  /**
   * Highest score of a complete phrase that ends before this position. A text keeps this score however it continues.
   */
  readonly passed: number;
}

/** Returns a text in the form in which phrases and pieces are compared, for example in lower case. */
export function foldText(text: string): string {
  return text.normalize('NFC').toLowerCase().replaceAll('\u2019', "'");
}

/** Score that a text at this position keeps if it ends here. */
export const keptScore = ({ whole, passed }: PhraseNode): number => Math.max(whole, passed);

/**
 * The phrases of a stream as an Aho-Corasick automaton over characters. It finds phrases in a text however the text is
 * divided into pieces. A phrase matches only from the start of a word to the end of a word.
 */
export class PhraseGraph {
  readonly root: PhraseNode = createNode(0, 0);

  constructor(phrases: readonly Phrase[]) {
    // Phrases are added in the order of their lengths. If one phrase is the start of another, the shorter one must be
    // added first.
    const folded = phrases.map(({ text, boost }) => ({ text: foldText(text), boost }));
    for (const phrase of folded.sort((one, other) => one.text.length - other.text.length)) this.#add(phrase);
    this.#link();
  }

  /**
   * Returns the position that a text at `from` reaches if the folded text of a piece is appended to it. If the longer
   * text does not continue a phrase, it keeps only the scores of complete phrases. `earned` is the sum of these scores.
   */
  step(from: PhraseNode, text: string): { node: PhraseNode; earned: number } {
    let [node, earned] = [from, 0];
    for (let i = 0; i < text.length; i++) {
      const char = text.charCodeAt(i);
      let child = findChild(node, char);
      while (child === undefined && node.fail !== undefined) {
        earned += char === SPACE ? keptScore(node) : node.passed;
        node = node.fail;
        child = findChild(node, char);
      }
      if (child !== undefined) node = child;
    }
    return { node, earned };
  }

  #add({ text, boost }: Phrase): void {
    const chars = ` ${text}`;
    const charScore = boost * BOOST_UNIT;
    let node = this.root;
    for (let i = 0; i < chars.length; i++) {
      const char = chars.charCodeAt(i);
      const passed = char === SPACE ? keptScore(node) : node.passed;
      node = findChild(node, char) ?? addChild(node, createNode(char, passed));
      node.pending = Math.max(node.pending, passed, i * charScore);
    }
    node.whole = Math.max(node.whole, text.length * charScore);
  }

  /**
   * Sets `fail` of each position. Handles shorter texts first, because the `fail` of a longer text depends on theirs.
   */
  #link(): void {
    const queue = [this.root];
    for (const node of queue) {
      for (let { child } = node; child !== undefined; child = child.sibling) {
        let { fail } = node;
        while (fail?.fail !== undefined && findChild(fail, child.char) === undefined) fail = fail.fail;
        child.fail = (fail && findChild(fail, child.char)) ?? this.root;
        queue.push(child);
      }
    }
  }
}

function createNode(char: number, passed: number): PhraseNode {
  return { char, child: undefined, sibling: undefined, fail: undefined, pending: 0, whole: 0, passed };
}

function findChild({ child }: PhraseNode, char: number): PhraseNode | undefined {
  let found = child;
  while (found !== undefined && found.char !== char) found = found.sibling;
  return found;
}

function addChild(node: PhraseNode, child: PhraseNode): PhraseNode {
  child.sibling = node.child;
  node.child = child;
  return child;
}
