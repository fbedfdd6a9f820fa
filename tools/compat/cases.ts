/** A client of another project, with its pinned packages in test/compat. */
export interface CompatClient {
  /** Folder in test/compat. */
  readonly folder: string;
  readonly language: 'Python' | 'Node';
  /** Package whose version the table shows. */
  readonly packageName: string;
}

/** One way to use a client: a program that transcribes recordings. */
export interface CompatCase {
  readonly name: string;
  readonly client: CompatClient;
  /** Program in the folder of the client. Its arguments are a model, a language and files. It prints a line per file. */
  readonly program: string;
  /** Route and options, as the table shows them. */
  readonly route: string;
  /** Silence that the program adds to each file, in seconds. */
  readonly addedSeconds: number;
  /** Whether `--short` includes it. */
  readonly isShort: boolean;
}

const OPENAI_PYTHON: CompatClient = { folder: 'openai-python', language: 'Python', packageName: 'openai' };
const OPENAI_NODE: CompatClient = { folder: 'openai-node', language: 'Node', packageName: 'openai' };

export const CASES: readonly CompatCase[] = [
  {
    name: 'openai-python-file',
    client: OPENAI_PYTHON,
    program: 'file.py',
    route: 'file, WAV',
    addedSeconds: 0,
    isShort: true,
  },
  {
    name: 'openai-node-file',
    client: OPENAI_NODE,
    program: 'file.mjs',
    route: 'file, WAV',
    addedSeconds: 0,
    isShort: true,
  },
];
