/** A parser that is fuzzed, with the property that must hold for every input. */
export interface FuzzTarget {
  /** Property in one sentence, for the report of a failure. */
  readonly property: string;
  /** Inputs from which the fuzzer starts, in addition to the corpus. */
  readonly seeds: readonly (Buffer | string)[];
  /** Texts that the parser treats specially. The fuzzer inserts them into inputs. */
  readonly dictionary: readonly (Buffer | string)[];
  /** Maximum size of an input. */
  readonly maxBytes: number;
  /** Runs the parser. Throws if the property does not hold. The function may change the input. */
  readonly run: (input: Buffer) => void | Promise<void>;
}

/** Throws if a condition of a property does not hold. */
export function check(condition: boolean, problem: string): asserts condition {
  if (!condition) throw new Error(`the property does not hold: ${problem}`);
}
