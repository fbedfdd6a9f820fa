import { readFileSync } from 'node:fs';
import { registerHooks, stripTypeScriptTypes } from 'node:module';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createInstrumenter } from 'istanbul-lib-instrument';
import { root } from '../../launch/terminal.mjs';

const VARIABLE = '__svcAsrFuzzCoverage__';

/** Counters of one file, as istanbul writes them into the instrumented code. */
interface FileCounters {
  readonly s: Record<string, number>;
  readonly f: Record<string, number>;
  readonly b: Record<string, number[]>;
}

/**
 * Limits between the magnitudes of a counter, such as 1, 2, 3, 4 to 7, and 8 to 15 executions. A magnitude that no
 * earlier execution has reached is new coverage.
 */
const BUCKETS = [0, 1, 2, 3, 7, 15, 31, 127];
/** Number of features that one counter can have. The comment of `Coverage.take` explains what a feature is. */
const FEATURES = BUCKETS.length;

/**
 * Instruments the modules that are imported after this call. `measured` are paths from the root of the repository,
 * without `src` and `dist`, such as `packages/core/relay`. Modules whose path starts with one of them are measured.
 */
export function measureCoverage(measured: readonly string[]): void {
  const instrumenter = createInstrumenter({ coverageVariable: VARIABLE, esModules: true });
  registerHooks({
    load: (url, context, nextLoad) => {
      const file = url.startsWith('file:') ? fileURLToPath(url) : '';
      if (!/\.[tj]s$/.test(file) || !isMeasured(file, measured)) return nextLoad(url, context);
      const text = readFileSync(file, 'utf8');
      const source = file.endsWith('.ts') ? stripTypeScriptTypes(text) : text;
      return { format: 'module', source: instrumenter.instrumentSync(source, file), shortCircuit: true };
    },
  });
}

function isMeasured(file: string, measured: readonly string[]): boolean {
  const path = relative(root, file).replace(/\/(src|dist)\//, '/');
  return measured.some((start) => path.startsWith(start));
}

/** Coverage of all executions so far. */
export class Coverage {
  readonly #seen = new Set<number>();

  /** Number of features that executions have reached. */
  get size(): number {
    return this.#seen.size;
  }

  /**
   * Returns the features of the execution since the last call, and sets the counters to zero. A feature is a statement,
   * function or branch, together with the magnitude of its count.
   */
  take(): number[] {
    const features: number[] = [];
    let at = 0;
    for (const { s, f, b } of Object.values(this.#files())) {
      for (const counters of [s, f, ...Object.values(b)]) at = collect(counters, at, features);
    }
    return features;
  }

  /** Adds features. Returns whether one of them is new. */
  add(features: readonly number[]): boolean {
    const before = this.#seen.size;
    for (const feature of features) this.#seen.add(feature);
    return this.#seen.size > before;
  }

  #files(): Record<string, FileCounters> {
    return (globalThis as unknown as Record<string, Record<string, FileCounters>>)[VARIABLE] ?? {};
  }
}

function collect(counters: Record<string, number> | number[], start: number, features: number[]): number {
  const list = counters as Record<string, number>;
  let at = start;
  for (const name in list) {
    const count = list[name] ?? 0;
    if (count > 0) {
      features.push(at * FEATURES + BUCKETS.findLastIndex((bound) => count > bound));
      list[name] = 0;
    }
    at++;
  }
  return at;
}
