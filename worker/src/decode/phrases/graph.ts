/** A phrase that a client expects in the audio. */
export interface Phrase {
  readonly text: string;
  /** Strength of the preference. Each character of the phrase adds `boost * BOOST_UNIT` to the score of a text. */
  readonly boost: number;
}

/** Score of one character for a boost of 1, as a natural logarithm of a probability. */
const BOOST_UNIT = 0.2;
const SPACE = 0x20;

/** A position in the phrases: all phrases that start with the same characters share it. */
export interface PhraseNode {
  /** Last character of the text of this position. */
  readonly char: number;
  /**
   * First position with one more character. `sibling` is the next position with the same parent. A map would take more
   * memory.
   */
  child: PhraseNode | undefined;
  sibling: PhraseNode | undefined;
  /** Position of the longest proper suffix of this position's text with which a phrase starts. */
  fail: PhraseNode | undefined;
  /**
   * Score that a text at this position has so far. If the text continues differently, only the score of whole phrases
   * stays.
   */
  pending: number;
  /** Score of the phrase that ends here. 0 if no phrase ends here. */
  whole: number;
  /** Highest score of a whole phrase that ends before this position. It stays if the text continues differently. */
  readonly passed: number;
}

/** Returns a text in the form in which phrases and pieces are compared. Case does not matter. */
export function foldText(text: string): string {
  return text.normalize('NFC').toLowerCase().replaceAll('\u2019', "'");
}

/** Score that a text at this position keeps if it ends here. */
export const keptScore = ({ whole, passed }: PhraseNode): number => Math.max(whole, passed);

/**
 * The phrases of a stream as an Aho-Corasick automaton over characters. It finds phrases in any division into pieces. A
 * phrase starts at the start of a word and ends at the end of a word.
 */
export class PhraseGraph {
  readonly root: PhraseNode = createNode(0, 0);

  constructor(phrases: readonly Phrase[]) {
    // A phrase that starts with another phrase must be added after that phrase. Phrases are sorted by length for this.
    const folded = phrases.map(({ text, boost }) => ({ text: foldText(text), boost }));
    for (const phrase of folded.sort((one, other) => one.text.length - other.text.length)) this.#add(phrase);
    this.#link();
  }

  /**
   * Moves from a position over the folded text of a piece. `earned` is the score of whole phrases after which the text
   * continues differently.
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

  /** Sets `fail` of each position. Positions with shorter texts come first, because those with longer texts need theirs. */
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
