import { readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseFuzzArguments } from './arguments.ts';
import { corpusFile, decodeInput, encodeInput, readCorpus } from './engine/corpus.ts';
import type { FuzzTarget } from './engine/target.ts';
import { fuzzTarget } from './run.ts';
import { MAX_INPUT_BYTES, moduleOf, TARGETS } from './targets.ts';

/** Maximum size of all corpus files together. */
const MAX_CORPUS_BYTES = 200_000;

describe.each(Object.entries(TARGETS))('the fuzz target %s', (name, entry) => {
  const { regressions, inputs } = readCorpus(name);
  const load = async () => (await import(pathToFileURL(moduleOf(name, entry)).href)) as { target: FuzzTarget };

  for (const [fault, input] of Object.entries(regressions)) {
    test(`does not fail for the input of the earlier fault "${fault}"`, async () => {
      const { target } = await load();
      await target.run(Buffer.from(input));
    });
  }

  test('fails neither for an input of the corpus nor for a seed input', async () => {
    const { target } = await load();
    expect(inputs.length).toBeGreaterThan(0);
    expect(target.maxBytes).toBeLessThanOrEqual(MAX_INPUT_BYTES);
    for (const input of [...inputs, ...target.seeds]) await target.run(Buffer.from(input as string));
  });
});

test('the corpus has one file for each target, and all files together have at most MAX_CORPUS_BYTES', () => {
  const folder = dirname(corpusFile('any'));
  const files = readdirSync(folder);
  expect(files.sort()).toEqual(
    Object.keys(TARGETS)
      .map((name) => `${name}.json`)
      .sort(),
  );
  const bytes = files.reduce((sum, file) => sum + statSync(join(folder, file)).size, 0);
  expect(bytes).toBeLessThanOrEqual(MAX_CORPUS_BYTES);
});

test.each(['', 'a\nb "c"', '\0\u00ff', 'x'.repeat(1000)])(
  'decodeInput returns what encodeInput encoded: %j',
  (text) => {
    const input = Buffer.from(text, 'latin1');
    expect(decodeInput(encodeInput(input))).toEqual(input);
  },
);

describe('fuzzTarget', () => {
  const planted = (name: string) => ({
    measured: ['tools/fuzz/testing/planted'],
    executions: 50_000,
    module: join(import.meta.dirname, `testing/planted-${name}.ts`),
  });
  const options = { seed: 3, limit: { executions: 50_000, seconds: undefined }, savesCorpus: false };

  test('finds a fault behind four nested conditions, and finds the same input again with the same seed', async () => {
    const first = await fuzzTarget('planted', planted('fault'), options);
    expect(first.failure).toContain('the planted fault was reached');
    expect(first.failure).toContain('"text:fuzz"');
    expect(await fuzzTarget('planted', planted('fault'), options)).toEqual(first);
  });

  test('reports the input of an execution that does not end', async () => {
    const { failure } = await fuzzTarget('planted', planted('hang'), options, 5000);
    expect(failure).toContain('the execution did not end in 5000 ms');
    expect(failure).toContain('"text:h');
  });
});

test('parseFuzzArguments reads targets and options, and selects all targets and the seed 1 by default', () => {
  const defaults = { names: ['a', 'b'], seconds: undefined, seed: 1, savesCorpus: false };
  expect(parseFuzzArguments([], ['a', 'b'])).toEqual(defaults);
  const args = ['b', '--seconds', '5', '--seed', '9', '--save'];
  expect(parseFuzzArguments(args, ['a', 'b'])).toEqual({ names: ['b'], seconds: 5, seed: 9, savesCorpus: true });
});

test.each([
  [['c'], 'there is no target "c"'],
  [['--seconds'], '--seconds requires a whole number of at least 1'],
  [['--seed', 'x'], '--seed requires a whole number of at least 1'],
])('parseFuzzArguments rejects %j', (args, message) => {
  expect(() => parseFuzzArguments(args, ['a', 'b'])).toThrow(message);
});
