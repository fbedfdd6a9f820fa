import { execFile, execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  cpSync,
  createReadStream,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { logProgress, root } from '../launch/terminal.mjs';
import { setUpTraining, TRAINING_FOLDER } from '../python/training.ts';
import type { ImportArguments } from './arguments.ts';
import { checkEightBits, checkWithEngine, compareSpeed } from './engine-check.ts';
import type { EightBitCheck } from './engine-check.ts';
import { readFacts } from './facts.ts';
import { buildReport, formatReport } from './report.ts';
import type { ImportReport } from './report.ts';
import { buildResource } from './resource.ts';

/** Exit status of the Python part if it refuses a file. Standard error then contains the reason. */
const REFUSED = 3;
/** Recordings that every import is checked with, one of each bundled model. */
const RECORDINGS = ['ki_espeak_002.wav', 'luo_espeak_000.wav'].flatMap((name) =>
  globSync(`worker/models/*/eval/${name}`, { cwd: root }).map((path) => join(root, path)),
);

/** How an import runs. */
export interface ImportRun {
  /** Limit of each measurement of streams per core. */
  readonly measureMs?: number;
  /** Ends the import. Its temporary files are removed. */
  readonly signal?: AbortSignal;
}

/** Path of the archive that an import with `--url` writes next to the folder. */
export const archiveOf = (out: string): string => `${out}.tar.gz`;

/** Imports a model. Creates its folder only if every check has passed. */
export async function importModel(given: ImportArguments, run: ImportRun = {}): Promise<ImportReport> {
  const { out, source, manifest } = given;
  const created = given.url === undefined ? [out] : [out, archiveOf(out)];
  for (const path of created) {
    if (existsSync(path)) throw new Error(`${path} exists already. Choose another folder with --out`);
  }
  for (const path of [source, manifest]) {
    if (path !== undefined && !existsSync(path)) throw new Error(`${path} does not exist`);
  }
  const stopped = new Promise<never>((_, reject) => {
    run.signal?.addEventListener('abort', () => reject(new Error('the import was stopped')));
  });
  const work = createWorkFolder(out);
  try {
    return await Promise.race([build(given, work, run), stopped]);
  } finally {
    // A process that has just been killed may have written a last file meanwhile.
    rmSync(work, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** Creates a folder on the file system of `out`. It is in the nearest folder that exists already. */
function createWorkFolder(out: string): string {
  let folder = dirname(out);
  while (!existsSync(folder)) folder = dirname(folder);
  try {
    return mkdtempSync(join(folder, `${basename(out)}.import-`));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new Error(`no folder can be created in ${folder} (${code}). Choose another one with --out`, {
      cause: error,
    });
  }
}

/** Builds and checks the model in a temporary folder, and moves it to its place. */
async function build(given: ImportArguments, work: string, { measureMs, signal }: ImportRun): Promise<ImportReport> {
  const { out, bits } = given;
  const { python } = await setUpTraining();
  const [model, scratch] = [join(work, 'model'), join(work, 'scratch')];
  mkdirSync(scratch);
  logProgress('building the graphs and comparing them with the model; this can take minutes');
  await runTraining(python, importArguments(given, model, scratch), signal);
  const { facts, audio } = readFacts(scratch);
  logProgress('checking the folder with the engine of the worker');
  let check = await checkWithEngine(model, facts, audio, bits === 8 ? 0 : measureMs);
  let eightBits: EightBitCheck | undefined;
  if (bits === 8) {
    logProgress('quantizing the graph for CPUs to 8 bits');
    const original = join(work, '32-bits');
    cpSync(model, original, { recursive: true });
    await runTraining(python, ['-m', 'importing.eight_bits', model, scratch], signal);
    const quality = await checkEightBits(model, facts, audio);
    logProgress('measuring the streams per core of both graphs');
    const [streams, streamsInEightBits] = await compareSpeed(original, model, measureMs);
    check = { ...check, streamsPerCore: streams };
    eightBits = { ...quality, streamsPerCore: streamsInEightBits };
  }
  const report = buildReport(given, basename(given.source), facts, check, eightBits);
  writeFileSync(join(model, 'report.json'), `${JSON.stringify(report, null, 2)}\n`);
  writeFileSync(join(model, 'report.md'), formatReport(report));
  const archive = join(work, 'model.tar.gz');
  const sha256 = given.url === undefined ? undefined : await packFolder(model, archive);
  writeFileSync(join(model, 'asrmodel.yaml'), buildResource(given, out, sha256));
  mkdirSync(dirname(out), { recursive: true });
  if (sha256 !== undefined) renameSync(archive, archiveOf(out));
  renameSync(model, out);
  return report;
}

function importArguments(given: ImportArguments, model: string, scratch: string): string[] {
  const { source, id, language, languageCode, manifest, options } = given;
  const args = ['-m', 'importing', source, model, scratch, '--id', id, '--language', language, '--code', languageCode];
  return [
    ...args,
    ...options,
    ...(manifest === undefined ? [] : ['--manifest', manifest]),
    '--recordings',
    ...RECORDINGS,
  ];
}

/** Runs a module of the training tools. If the module refuses its input, throws an error with the module's message. */
async function runTraining(python: string, args: readonly string[], signal: AbortSignal | undefined): Promise<void> {
  try {
    const options = { cwd: TRAINING_FOLDER, maxBuffer: 2 ** 26, killSignal: 'SIGKILL' as const };
    await promisify(execFile)(python, args, { ...options, ...(signal !== undefined && { signal }) });
  } catch (error) {
    const { code, signal: ended, stderr = '' } = error as { code?: number; signal?: string; stderr?: string };
    if (code === REFUSED) throw new Error(stderr.trim(), { cause: error });
    const reason = typeof ended === 'string' ? `${ended} ended it, for example because memory was exhausted. ` : '';
    throw new Error(`the import failed: ${reason}${stderr.trim()}`, { cause: error });
  }
}

/** Packs the files of a folder as workers download them. Returns the checksum of the archive. */
async function packFolder(folder: string, archive: string): Promise<string> {
  execFileSync('tar', ['-C', folder, '-czf', archive, '.']);
  const hash = createHash('sha256');
  await pipeline(createReadStream(archive), hash);
  return hash.digest('hex');
}
