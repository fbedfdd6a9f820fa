// The package has no types of its own. Only the functions that the fuzzer calls are declared.
declare module 'istanbul-lib-instrument' {
  export function createInstrumenter(options: { coverageVariable: string; esModules: boolean }): {
    /** Returns the code with counters of its statements, functions and branches. */
    instrumentSync: (code: string, filename: string) => string;
  };
}
