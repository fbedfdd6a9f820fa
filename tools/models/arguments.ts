import { parseArgs } from 'node:util';
import { messageOf } from '../launch/terminal.mjs';

/** Parsed command line of an import. Paths are as the user gave them. */
export interface ImportArguments {
  /** A .nemo file, the .onnx file of a CTC model, or a folder with the ONNX files of a model. */
  readonly source: string;
  /** Id of the model, which clients request. */
  readonly id: string;
  /** BCP 47 tag of the language. */
  readonly languageCode: string;
  /** Display name of the language. */
  readonly language: string;
  /** Folder to create. */
  readonly out: string;
  /** NeMo manifest with recordings and their texts. */
  readonly manifest: string | undefined;
  /** Bits of matrix products in the encoder for CPUs. */
  readonly bits: 8 | 32;
  /** Address from which workers will download the model. */
  readonly url: string | undefined;
  /** Further options of training/importing. */
  readonly options: readonly string[];
}

export const USAGE = `npm run models -- import SOURCE --id ID --language TAG [OPTION...]

Turns a cache-aware streaming FastConformer of NeMo into a model folder for CPUs and GPUs, and checks it.
SOURCE is a .nemo file, an ONNX export of a CTC model, or a folder with the ONNX files of a model.
A folder may have an encoder for each of several contexts. ONNX exports need a file tokens.txt next to them.

  --id ID              id of the model: lowercase letters, digits and -
  --language TAG       BCP 47 tag of the language, for example ki
  --name NAME          display name of the language. By default it follows from the tag
  --out FOLDER         folder to create. By default it has the name of the id
  --manifest FILE      NeMo manifest (JSON lines with audio_filepath, duration and text) to count word errors.
                       Case and punctuation count
  --bits BITS          32 or 8: bits of matrix products in the encoder for CPUs. By default 32. 8 needs --manifest
  --head HEAD          ctc or transducer, for a model with both heads. By default transducer
  --prompt NUMBER      language prompt of a multilingual model. For a .nemo file, it follows from the tag by default
  --context LEFT,RIGHT context of an ONNX export without metadata
  --url URL            address of the archive of the folder, for the ASRModel
  --help               prints this text
`;

const TEXT = { type: 'string' } as const;
const OPTIONS = {
  id: TEXT,
  language: TEXT,
  name: TEXT,
  out: TEXT,
  manifest: TEXT,
  bits: TEXT,
  head: TEXT,
  prompt: TEXT,
  context: TEXT,
  url: TEXT,
  help: { type: 'boolean' },
} as const;

function readOptions(args: readonly string[]) {
  const parsed = () => parseArgs({ args: [...args], options: OPTIONS, allowPositionals: true });
  let found: ReturnType<typeof parsed>;
  try {
    found = parsed();
  } catch (error) {
    // The advice of Node after the first sentence is not for this command.
    throw new Error(`${messageOf(error).split(/[.\n]/, 1)[0]}. Use --help`, { cause: error });
  }
  const empty = Object.entries(found.values).find(([, value]) => value === '');
  if (empty !== undefined) throw new Error(`--${empty[0]} is empty`);
  if (found.positionals.includes('')) throw new Error('SOURCE is empty');
  return found;
}

type Choices = Partial<Readonly<Record<'head' | 'prompt' | 'context' | 'url', string>>>;

/** Parses the command line. Returns undefined if the user asks for help or gives no arguments. */
export function parseModelsArguments(args: readonly string[]): ImportArguments | undefined {
  const { values, positionals } = readOptions(args);
  if (values.help === true || args.length === 0) return undefined;
  const [command, source, ...more] = positionals;
  if (command !== 'import') throw new Error(`there is no command "${command ?? ''}". Use import, or --help`);
  if (source === undefined || more.length > 0) throw new Error('import needs exactly one SOURCE. Use --help');
  const { id, language: tag } = values;
  if (id === undefined) throw new Error('--id is missing, for example --id my-language-v1');
  if (!/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/.test(id)) {
    throw new Error(`--id is "${id}". Use 1 to 63 lowercase letters, digits and -, for example my-language-v1`);
  }
  const languageCode = canonicalTag(tag);
  const passed = (['bits', 'head', 'prompt', 'context'] as const).flatMap((name) =>
    values[name] === undefined ? [] : [`--${name}`, values[name]],
  );
  const bits = checkBits(values.bits ?? '32', values.manifest);
  checkChoices(values);
  return {
    source,
    id,
    languageCode,
    language: values.name ?? new Intl.DisplayNames(['en'], { type: 'language' }).of(languageCode) ?? languageCode,
    out: values.out ?? id,
    manifest: values.manifest,
    bits,
    url: values.url,
    options: passed,
  };
}

function canonicalTag(tag: string | undefined): string {
  try {
    const [canonical] = Intl.getCanonicalLocales(tag ?? '');
    if (canonical !== undefined && canonical.length <= 35) return canonical;
  } catch {
    // The error below states what to do.
  }
  const problem = tag === undefined ? 'is missing' : `is "${tag}"`;
  throw new Error(`--language ${problem}. Use a BCP 47 tag of at most 35 characters, for example ki or sw-KE`);
}

function checkBits(bits: string, manifest: string | undefined): 8 | 32 {
  if (bits === '32') return 32;
  if (bits !== '8') throw new Error(`--bits is "${bits}". Use 8 or 32`);
  if (manifest === undefined)
    throw new Error('--bits 8 needs --manifest, because the scales are computed from its recordings');
  return 8;
}

function checkChoices({ head, prompt, context, url }: Choices): void {
  if (head !== undefined && head !== 'ctc' && head !== 'transducer')
    throw new Error(`--head is "${head}". Use ctc or transducer`);
  if (prompt !== undefined && !/^\d{1,6}$/.test(prompt)) throw new Error(`--prompt is "${prompt}". Use a whole number`);
  if (context !== undefined && !/^\d{1,4},\d{1,4}$/.test(context))
    throw new Error(`--context is "${context}". Use LEFT,RIGHT, for example 70,13`);
  if (url !== undefined && !/^https:\/\/[^/]+\/.+/.test(url))
    throw new Error(
      `--url is "${url}". Use the https:// address of a file, for example https://example.com/model.tar.gz`,
    );
}
