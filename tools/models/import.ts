import { execFile, execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
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
import { checkWithEngine } from './engine-check.ts';
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

/**
 * Imports a model. Creates its folder only if every check has passed. `measureMs` limits the measurement of streams.
 */
export async function importModel(given: ImportArguments, measureMs?: number): Promise<ImportReport> {
  const { out } = given;
  if (existsSync(out)) throw new Error(`${out} exists already. Remove it, or choose another folder with --out`);
  const { python } = await setUpTraining();
  mkdirSync(dirname(out), { recursive: true });
  const work = mkdtempSync(`${out}.import-`);
  try {
    const [model, scratch] = [join(work, 'model'), join(work, 'scratch')];
    mkdirSync(scratch);
    logProgress('building the graphs and comparing them with the model');
    await runImport(python, given, model, scratch);
    const { facts, audio } = readFacts(scratch);
    logProgress('checking the folder with the engine of the worker');
    const report = buildReport(
      given,
      basename(given.source),
      facts,
      await checkWithEngine(model, facts, audio, measureMs),
    );
    writeFileSync(join(model, 'report.json'), `${JSON.stringify(report, null, 2)}\n`);
    writeFileSync(join(model, 'report.md'), formatReport(report));
    const archive = join(work, 'model.tar.gz');
    const sha256 = given.url === undefined ? undefined : await packFolder(model, archive);
    writeFileSync(join(model, 'asrmodel.yaml'), buildResource(given, out, sha256));
    if (sha256 !== undefined) renameSync(archive, `${out}.tar.gz`);
    renameSync(model, out);
    return report;
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

async function runImport(python: string, given: ImportArguments, model: string, scratch: string): Promise<void> {
  const { source, id, language, languageCode, manifest, options } = given;
  const args = ['-m', 'importing', source, model, scratch, '--id', id, '--language', language, '--code', languageCode];
  const more = [...options, ...(manifest === undefined ? [] : ['--manifest', manifest]), '--recordings', ...RECORDINGS];
  try {
    await promisify(execFile)(python, [...args, ...more], { cwd: TRAINING_FOLDER, maxBuffer: 2 ** 26 });
  } catch (error) {
    const { code, stderr = '' } = error as { code?: number; stderr?: string };
    if (code === REFUSED) throw new Error(stderr.trim(), { cause: error });
    throw new Error(`the import failed:\n${stderr.trim()}`, { cause: error });
  }
}

/** Packs the files of a folder as workers download them. Returns the checksum of the archive. */
async function packFolder(folder: string, archive: string): Promise<string> {
  execFileSync('tar', ['-C', folder, '-czf', archive, '.']);
  const hash = createHash('sha256');
  await pipeline(createReadStream(archive), hash);
  return hash.digest('hex');
}
