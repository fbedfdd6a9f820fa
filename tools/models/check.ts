import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runCommand } from '../checks/command.ts';
import { logProgress, root } from '../launch/terminal.mjs';
import { setUpTraining, TRAINING_FOLDER } from '../python/training.ts';
import { parseModelsArguments } from './arguments.ts';
import { importModel } from './import.ts';

/** Kinds of models that training/importing/tiny_model.py writes. */
const KINDS = ['ctc', 'transducer', 'hybrid'] as const;
const RECORDING = join(root, 'worker/models/svc-asr-kikuyu-v1/eval/ki_espeak_002.wav');
/**
 * Number of utterances in the manifest. The engine check recognizes 8 recordings at the same time: these utterances,
 * and two recordings that are each recognized once whole and once cut off.
 */
const UTTERANCES = 4;

/** Creates a small model of each kind, and imports it as a user does. Returns the number of kinds that failed. */
export async function checkImports(): Promise<number> {
  const { python } = await setUpTraining();
  const folder = mkdtempSync(join(tmpdir(), 'svc-asr-import-'));
  let failed = 0;
  try {
    const manifest = join(folder, 'manifest.json');
    const line = JSON.stringify({ audio_filepath: RECORDING, duration: 3, text: 'one two three' });
    writeFileSync(manifest, `${line}\n`.repeat(UTTERANCES));
    for (const kind of KINDS) {
      const problem = await importKind(python, folder, manifest, kind);
      if (problem === undefined) continue;
      logProgress(`import of a ${kind} model: ${problem}`);
      failed++;
    }
    return failed;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Imports a model of one kind. Returns what is wrong with the result, or undefined. */
async function importKind(python: string, folder: string, manifest: string, kind: string): Promise<string | undefined> {
  const [source, out] = [join(folder, `${kind}.nemo`), join(folder, kind)];
  const written = await runCommand(python, ['-m', 'importing.tiny_model', kind, source], logProgress, {
    cwd: TRAINING_FOLDER,
  });
  if (written !== 0) return 'the model could not be created';
  const options = ['--id', kind, '--language', 'ki', '--out', out, '--manifest', manifest];
  const given = parseModelsArguments(['import', source, ...options]);
  if (given === undefined) return 'the arguments ask for help';
  try {
    // This check does not use the measurement of streams per core, so the measurement gets no time.
    const { equalTranscripts, wordErrors } = await importModel(given, 0);
    const isComplete = equalTranscripts > 0 && wordErrors?.words === 3 * UTTERANCES;
    return isComplete ? undefined : 'the report has no transcripts or no word errors';
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
