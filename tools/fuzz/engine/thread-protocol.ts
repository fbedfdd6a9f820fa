import type { Failure } from './fuzzer.ts';

/** End of a run: a number of executions, or a time. Only the number gives the same result on every machine. */
export interface RunLimit {
  readonly executions: number;
  /** Duration of the run. If it is set, `executions` has no effect. */
  readonly seconds: number | undefined;
}

/** Options of the thread that runs a target. */
export interface ThreadOptions {
  readonly name: string;
  /** URL of the module that exports `target`. */
  readonly module: string;
  readonly measured: readonly string[];
  readonly seed: number;
  readonly limit: RunLimit;
  /** Whether the thread writes the inputs that it found to the corpus. */
  readonly savesCorpus: boolean;
  /** Memory with the current input. See `openCurrentInput`. */
  readonly memory: SharedArrayBuffer;
}

/** Message of the thread after its run. */
export interface ThreadReport {
  readonly executions: number;
  readonly features: number;
  readonly property: string;
  readonly failure: Failure | undefined;
}
