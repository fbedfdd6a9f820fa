import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { root } from '../../launch/terminal.mjs';

/** Stored inputs of a target. */
export interface Corpus {
  /** Inputs that violated the property before a fix, by the name of the fault. */
  readonly regressions: Readonly<Record<string, Buffer>>;
  /** A few short inputs that together reach all code that the fuzzer had reached when it saved them. */
  readonly inputs: readonly Buffer[];
}

interface StoredCorpus {
  readonly regressions: Readonly<Record<string, string>>;
  readonly inputs: readonly string[];
}

const FOLDER = join(root, 'tools/fuzz/corpus');

/** Returns the file with the corpus of a target. */
export function corpusFile(target: string): string {
  return join(FOLDER, `${target}.json`);
}

/** Reads the corpus of a target. A target without a file has an empty corpus. */
export function readCorpus(target: string): Corpus {
  if (!existsSync(corpusFile(target))) return { regressions: {}, inputs: [] };
  const { regressions, inputs } = JSON.parse(readFileSync(corpusFile(target), 'utf8')) as StoredCorpus;
  const decoded = Object.entries(regressions).map(([name, text]) => [name, decodeInput(text)] as const);
  return { regressions: Object.fromEntries(decoded), inputs: inputs.map(decodeInput) };
}

/** Writes the corpus of a target. */
export function writeCorpus(target: string, { regressions, inputs }: Corpus): void {
  const encoded = Object.entries(regressions).map(([name, input]) => [name, encodeInput(input)] as const);
  const stored: StoredCorpus = { regressions: Object.fromEntries(encoded), inputs: inputs.map(encodeInput).sort() };
  writeFileSync(corpusFile(target), `${JSON.stringify(stored, null, 2)}\n`);
}

/**
 * Encodes an input as a string. Printable text, with its line breaks, stays as it is. Other bytes are in base64. The
 * input is compressed if that is shorter.
 */
export function encodeInput(input: Buffer): string {
  const text = input.toString('latin1');
  const plain = /^[\n\r -~]*$/.test(text) ? `text:${text}` : `base64:${input.toString('base64')}`;
  const deflated = `deflate:${deflateRawSync(input, { level: 9 }).toString('base64')}`;
  return deflated.length < plain.length ? deflated : plain;
}

/** Decodes a string of `encodeInput`. */
export function decodeInput(line: string): Buffer {
  const [, kind, data = ''] = /^(text|base64|deflate):(.*)$/s.exec(line) ?? [];
  if (kind === 'text') return Buffer.from(data, 'latin1');
  if (kind === 'base64') return Buffer.from(data, 'base64');
  if (kind === 'deflate') return inflateRawSync(Buffer.from(data, 'base64'));
  throw new Error(`an input must start with text:, base64: or deflate:, not with ${JSON.stringify(line.slice(0, 10))}`);
}
