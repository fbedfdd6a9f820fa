/** What `npm run bench` hands to a benchmark. */
export interface BenchOptions {
  say: (line: string) => void;
  /** How much is measured, where a benchmark knows more than one size; absent: as usual. */
  size?: 'quick' | 'usual' | 'full';
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
