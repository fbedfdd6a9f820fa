/** What `npm run bench` hands to a benchmark. */
export interface BenchOptions {
  say: (line: string) => void;
}

/** What a benchmark found. */
export interface BenchResult {
  /** Ours over the peer's or the limit's, by the names in the contract. */
  ratios: Readonly<Record<string, number>>;
  /** Everything that was measured, with the unit in the name. */
  figures: Readonly<Record<string, number>>;
}

/** What `bench/NAME/index.ts` exports. */
export interface Benchmark {
  bench: (options: BenchOptions) => Promise<BenchResult>;
}
