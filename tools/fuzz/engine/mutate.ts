import type { Random } from '../../../test/support/random.ts';

/** Material for mutations. */
export interface Material {
  /** Inputs that the fuzzer has kept. Must not be empty. */
  readonly inputs: readonly Buffer[];
  readonly dictionary: readonly Buffer[];
  readonly maxBytes: number;
}

type Mutation = (random: Random, input: Buffer, material: Material) => Buffer;

/** Bytes at which parsers often change their behaviour. */
const EDGES = [0, 1, 9, 10, 13, 31, 32, 34, 44, 46, 47, 48, 57, 61, 92, 125, 126, 127, 128, 192, 237, 254, 255];
const NUMBERS = ['0', '-1', '1.5', '1e9', '65536', '4294967296', '9007199254740993', '-0', '1e400', '00', '999999999'];
const MAX_STACKED = 4;
const MAX_REPEATS = 200;
const LARGEST_STEP = 16;

const MUTATIONS: readonly Mutation[] = [
  (random, input) => change(random, input, (byte) => byte ^ (1 << random.below(8))),
  (random, input) => change(random, input, () => random.pick(EDGES)),
  (random, input) => change(random, input, () => random.below(256)),
  (random, input) => change(random, input, (byte) => byte + random.below(2 * LARGEST_STEP + 1) - LARGEST_STEP),
  (random, input) => replace(input, randomRange(random, input), Buffer.alloc(0)),
  (random, input) => insert(random, input, Buffer.from([random.below(256)])),
  (random, input) => insert(random, input, Buffer.from(random.pick(NUMBERS))),
  (random, input, { dictionary }) => (dictionary.length === 0 ? input : insert(random, input, random.pick(dictionary))),
  (random, input, { dictionary }) =>
    dictionary.length === 0 ? input : replace(input, randomRange(random, input), random.pick(dictionary)),
  (random, input) => insert(random, input, input.subarray(...randomRange(random, input))),
  (random, input) => {
    const [from, to] = randomRange(random, input);
    const piece = input.subarray(from, Math.min(to, from + LARGEST_STEP));
    const repeated = Array.from({ length: 1 + random.below(MAX_REPEATS) }, () => piece);
    return insert(random, input, Buffer.concat(repeated));
  },
  (random, input, { inputs }) => {
    const other = random.pick(inputs);
    return Buffer.concat([
      input.subarray(0, random.below(input.length + 1)),
      other.subarray(random.below(other.length + 1)),
    ]);
  },
  (random, input, { inputs }) => {
    const other = random.pick(inputs);
    return insert(random, input, other.subarray(...randomRange(random, other)));
  },
];

/** Returns a changed copy of an input: one to four random mutations, one after the other. */
export function mutate(random: Random, input: Buffer, material: Material): Buffer {
  let result = input;
  for (let left = 1 + random.below(MAX_STACKED); left > 0; left--) {
    result = random.pick(MUTATIONS)(random, result, material).subarray(0, material.maxBytes);
  }
  return Buffer.from(result);
}

function change(random: Random, input: Buffer, next: (byte: number) => number): Buffer {
  const result = Buffer.from(input);
  const at = random.below(result.length);
  if (at < result.length) result[at] = next(result[at] ?? 0);
  return result;
}

function insert(random: Random, input: Buffer, piece: Buffer): Buffer {
  const at = random.below(input.length + 1);
  return replace(input, [at, at], piece);
}

function replace(input: Buffer, [from, to]: readonly [number, number], piece: Buffer): Buffer {
  return Buffer.concat([input.subarray(0, from), piece, input.subarray(to)]);
}

function randomRange(random: Random, input: Buffer): [number, number] {
  const from = random.below(input.length + 1);
  const length = random.below(2) === 0 ? random.below(LARGEST_STEP) : random.below(input.length + 1);
  return [from, Math.min(input.length, from + length)];
}
