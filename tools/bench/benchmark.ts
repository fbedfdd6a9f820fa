/** Arguments of a benchmark. */
export interface BenchOptions {
  logProgress: (line: string) => void;
  /** How much to measure, for benchmarks that have several sizes. The default is `usual`. */
  size?: 'quick' | 'usual' | 'full';
  /** Part to measure, one of `PARTS`. By default all of them are measured. */
  part?: string | undefined;
}

/** Result of a benchmark. */
export interface BenchResult {
  /**
   * Main results. Most are our figure divided by a target, by the figure of other software, or by the figure of a
   * minimal program (the floor).
   */
  ratios: Readonly<Record<string, number>>;
  /** Every measured value, with its unit in the name. */
  figures: Readonly<Record<string, number>>;
}

/** Exports of `bench/NAME/index.ts`. */
export interface Benchmark {
  bench: (options: BenchOptions) => Promise<BenchResult>;
  /** Parts that `--part` can select. */
  PARTS?: readonly string[];
}
