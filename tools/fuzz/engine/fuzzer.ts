import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Coverage } from './coverage.ts';
import { mutate } from './mutate.ts';
import { Random } from '../../../test/support/random.ts';
import type { FuzzTarget } from './target.ts';

/** An input that violates the property of its target. */
export interface Failure {
  readonly input: Buffer;
  readonly error: string;
}

export interface FuzzerOptions {
  readonly target: FuzzTarget;
  readonly seed: number;
  /** Inputs of the corpus. */
  readonly inputs: readonly Buffer[];
  readonly coverage: Coverage;
  /** Called before each execution. */
  readonly onExecute: (input: Buffer) => void;
}

/** Number of executions between two pauses in which callbacks of the target, such as those of sockets, can run. */
const EXECUTIONS_PER_TURN = 64;
/** Largest number of parts into which an input is divided to shorten it. It limits the number of executions. */
const MAX_PARTS = 64;
/** Number of latest inputs that are chosen more often than the others. */
const RECENT = 8;

/** Runs a target with inputs of the corpus and mutations of them, and keeps inputs that reach new code. */
export class Fuzzer {
  readonly #options: FuzzerOptions;
  readonly #random: Random;
  readonly #dictionary: Buffer[];
  /** Seeds, inputs of the corpus and inputs that reached new code, with their features. */
  readonly #kept: { readonly input: Buffer; readonly features: ReadonlySet<number> }[] = [];
  readonly #inputs: Buffer[] = [];
  #executions = 0;

  constructor(options: FuzzerOptions) {
    this.#options = options;
    this.#random = new Random(options.seed);
    this.#dictionary = options.target.dictionary.map((text) => Buffer.from(text as string));
  }

  get executions(): number {
    return this.#executions;
  }

  /** Runs the seeds and the corpus, and then mutations until `isDone` returns true. Returns the first failure. */
  async fuzz(isDone: () => boolean): Promise<Failure | undefined> {
    const { target, inputs } = this.#options;
    const first = [Buffer.alloc(0), ...target.seeds.map((text) => Buffer.from(text as string)), ...inputs];
    for (const input of first) {
      const failure = await this.#tryInput(input, true);
      if (failure !== undefined) return failure;
    }
    const material = { inputs: this.#inputs, dictionary: this.#dictionary, maxBytes: target.maxBytes };
    while (!isDone()) {
      // Inputs that were found last reach the rarest code, so they are chosen more often.
      const parent = this.#random.pick(this.#random.below(3) === 0 ? this.#inputs.slice(-RECENT) : this.#inputs);
      const failure = await this.#tryInput(mutate(this.#random, parent, material), false);
      if (failure !== undefined) return this.#shorten(failure);
    }
    return undefined;
  }

  /** Returns a small number of short inputs that together reach all features. */
  async minimize(): Promise<Buffer[]> {
    const missing = new Set(this.#kept.flatMap(({ features }) => [...features]));
    const chosen: Buffer[] = [];
    // Short inputs come first, so that a long input is chosen only for features that no shorter input reaches.
    for (const { input, features } of [...this.#kept].sort((a, b) => a.input.length - b.input.length)) {
      const wanted = [...features].filter((feature) => missing.has(feature));
      if (wanted.length === 0) continue;
      for (const feature of wanted) missing.delete(feature);
      chosen.push(await this.#reduce(input, async (shorter) => await this.#reaches(shorter, wanted)));
    }
    return chosen.filter((input) => input.length > 0);
  }

  async #tryInput(input: Buffer, isKept: boolean): Promise<Failure | undefined> {
    const error = await this.#execute(input);
    if (error !== undefined) return { input, error };
    const features = this.#options.coverage.take();
    if (this.#options.coverage.add(features) || isKept) {
      this.#kept.push({ input, features: new Set(features) });
      this.#inputs.push(input);
    }
    return undefined;
  }

  /** Executes the target with a copy of the input. Returns the stack of the error that it throws. */
  async #execute(input: Buffer): Promise<string | undefined> {
    this.#options.onExecute(input);
    if (++this.#executions % EXECUTIONS_PER_TURN === 0) await nextTurn();
    try {
      const result = this.#options.target.run(Buffer.from(input));
      if (result !== undefined) await result;
      return undefined;
    } catch (error) {
      return (error as Error).stack ?? String(error);
    }
  }

  async #reaches(input: Buffer, wanted: readonly number[]): Promise<boolean> {
    if ((await this.#execute(input)) !== undefined) return false;
    const features = new Set(this.#options.coverage.take());
    return wanted.every((feature) => features.has(feature));
  }

  /** Shortens a failing input as long as the shorter input still fails. */
  async #shorten({ input, error }: Failure): Promise<Failure> {
    const shorter = await this.#reduce(input, async (candidate) => (await this.#execute(candidate)) !== undefined);
    return { input: shorter, error: (await this.#execute(shorter)) ?? error };
  }

  /**
   * Removes parts of an input, large parts first. Removes a part only if `holds` returns true for the remaining input.
   */
  async #reduce(input: Buffer, holds: (shorter: Buffer) => Promise<boolean>): Promise<Buffer> {
    let result = input;
    for (let size = input.length >> 1; size >= 1 && size >= input.length / MAX_PARTS; size >>= 1) {
      for (let at = 0; at < result.length;) {
        const shorter = Buffer.concat([result.subarray(0, at), result.subarray(at + size)]);
        if (await holds(shorter)) result = shorter;
        else at += size;
      }
    }
    return result;
  }
}
