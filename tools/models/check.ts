import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runCommand } from '../checks/command.ts';
import { logProgress, root } from '../launch/terminal.mjs';
import { setUpTraining, TRAINING_FOLDER } from '../python/training.ts';
import { parseModelsArguments } from './arguments.ts';
import { importModel } from './import.ts';

/** Kinds of models that training/importing/tiny_model.py writes, with the bits of the imported CPU graph. */
const KINDS = [
  ['ctc', 32],
  ['transducer', 8],
  ['hybrid', 32],
] as const;
const RECORDING = join(root, 'worker/models/svc-asr-kikuyu-v1/eval/ki_espeak_002.wav');
/**
 * Number of utterances in the manifest. The engine check recognizes 8 recordings at the same time: these utterances,
 * and two recordings that are each recognized once whole and once cut off.
 */
const UTTERANCES = 4;
const POLL_MS = 20;

/** Creates a small model of each kind, and imports it as a user does. Also stops an import. Returns the number of failures. */
export async function checkImports(): Promise<number> {
  const { python } = await setUpTraining();
  const folder = mkdtempSync(join(tmpdir(), 'svc-asr-import-'));
  let failed = 0;
  try {
    const manifest = join(folder, 'manifest.json');
    const line = JSON.stringify({ audio_filepath: RECORDING, duration: 3, text: 'one two three' });
    writeFileSync(manifest, `${line}\n`.repeat(UTTERANCES));
    for (const [kind, bits] of KINDS) {
      const problem = await importKind(python, folder, manifest, kind, bits);
      if (problem === undefined) continue;
      logProgress(`import of a ${kind} model: ${problem}`);
      failed++;
    }
    if (!(await leavesNothingWhenStopped(folder))) failed++;
    return failed;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Stops an import while Python runs. Returns whether the import has ended and has removed its files. */
async function leavesNothingWhenStopped(folder: string): Promise<boolean> {
  const [source, out] = [join(folder, 'ctc.nemo'), join(folder, 'new', 'stopped')];
  const given = parseModelsArguments(['import', source, '--id', 'stopped', '--language', 'ki', '--out', out]);
  if (given === undefined) return false;
  const stop = new AbortController();
  const files = () => readdirSync(folder, { recursive: true }).map(String);
  const before = files();
  let end: string | undefined;
  const imported = importModel(given, { signal: stop.signal }).then(
    () => (end = 'the import finished'),
    (error: unknown) => (end = error instanceof Error ? error.message : String(error)),
  );
  // Python has started as soon as the first file of the model exists.
  while (end === undefined && !files().some((name) => /^stopped\.import-\w+\/model\//.test(name))) {
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
  stop.abort();
  const [found, left] = [await imported, files().filter((name) => !before.includes(name))];
  if (found === 'the import was stopped' && left.length === 0) return true;
  logProgress(`stopped import: ${found}; files left: ${left.join(', ') || 'none'}`);
  return false;
}

/** Imports a model of one kind. Returns what is wrong with the result, or undefined. */
async function importKind(
  python: string,
  folder: string,
  manifest: string,
  kind: string,
  bits: 8 | 32,
): Promise<string | undefined> {
  const [source, out] = [join(folder, `${kind}.nemo`), join(folder, kind)];
  const written = await runCommand(python, ['-m', 'importing.tiny_model', kind, source], logProgress, {
    cwd: TRAINING_FOLDER,
  });
  if (written !== 0) return 'the model could not be created';
  const options = ['--id', kind, '--language', 'ki', '--out', out, '--manifest', manifest, '--bits', String(bits)];
  const given = parseModelsArguments(['import', source, ...options]);
  if (given === undefined) return 'the arguments ask for help';
  try {
    // This check does not use the measurement of streams per core, so the measurement gets no time.
    const { equalTranscripts, wordErrors, eightBits } = await importModel(given, { measureMs: 0 });
    const counted = bits === 8 ? [wordErrors, eightBits?.wordErrors] : [wordErrors];
    const isComplete = equalTranscripts > 0 && counted.every((errors) => errors?.words === 3 * UTTERANCES);
    return isComplete ? undefined : 'the report has no transcripts or no word errors';
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
