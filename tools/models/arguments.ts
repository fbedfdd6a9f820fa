import { parseArgs } from 'node:util';

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
  --manifest FILE      NeMo manifest (JSON lines with audio_filepath, duration and text) to count word errors
  --head HEAD          ctc or transducer, for a model with both heads. By default transducer
  --prompt NUMBER      language prompt of a multilingual model. By default it follows from the tag
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
  head: TEXT,
  prompt: TEXT,
  context: TEXT,
  url: TEXT,
  help: { type: 'boolean' },
} as const;

/** Parses the command line. Returns undefined if the user asks for help or gives no arguments. */
export function parseModelsArguments(args: readonly string[]): ImportArguments | undefined {
  const { values, positionals } = parseArgs({ args: [...args], options: OPTIONS, allowPositionals: true });
  if (values.help === true || args.length === 0) return undefined;
  const [command, source, ...more] = positionals;
  if (command !== 'import') throw new Error(`there is no command "${command ?? ''}". Use import, or --help`);
  if (source === undefined || more.length > 0) throw new Error('import needs exactly one SOURCE. Use --help');
  const { id, language: tag } = values;
  if (id === undefined || !/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/.test(id)) {
    throw new Error('--id must have 1 to 63 lowercase letters, digits and -, for example my-language-v1');
  }
  const languageCode = canonicalTag(tag);
  const passed = (['head', 'prompt', 'context'] as const).flatMap((name) =>
    values[name] === undefined ? [] : [`--${name}`, values[name]],
  );
  checkChoices(values.head, values.prompt, values.url);
  return {
    source,
    id,
    languageCode,
    language: values.name ?? new Intl.DisplayNames(['en'], { type: 'language' }).of(languageCode) ?? languageCode,
    out: values.out ?? id,
    manifest: values.manifest,
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
  throw new Error('--language must be a BCP 47 tag of at most 35 characters, for example ki or sw-KE');
}

function checkChoices(head: string | undefined, prompt: string | undefined, url: string | undefined): void {
  if (head !== undefined && head !== 'ctc' && head !== 'transducer')
    throw new Error('--head must be ctc or transducer');
  if (prompt !== undefined && !/^\d{1,6}$/.test(prompt)) throw new Error('--prompt must be a whole number');
  if (url !== undefined && !/^https:\/\/[^/]+\/.+/.test(url)) throw new Error('--url must start with https://');
}
