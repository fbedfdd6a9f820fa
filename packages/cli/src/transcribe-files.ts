import { mkdirSync } from 'node:fs';
import { basename, extname, join, resolve } from 'node:path';
import { Readable } from 'node:stream';
import { SAMPLES_PER_MS } from '@svc-asr/core/stream';
import { openAudio } from './audio-source.ts';
import type { Invocation } from './command.ts';
import { formatDuration } from './duration.ts';
import { PartialError, UsageError } from './exit.ts';
import type { PcmSource } from './pcm-source.ts';
import { createProgress } from './progress.ts';
import { prepareRecognition, transcribe } from './transcribe.ts';
import type { Recognition, Transcribed } from './transcribe.ts';
import { formatTranscript, TRANSCRIPT_FORMATS } from './transcript-format.ts';
import type { TranscriptFormat } from './transcript-format.ts';
import { createProgressTranscript, createTranscript, liveTextOn } from './transcript.ts';
import type { Transcript } from './transcript.ts';
import { checkWritable, isFolder, writeWhole } from './write-file.ts';

/** Format and destination of the transcript of one file. */
interface Job {
  file: string;
  format: TranscriptFormat;
  /** File to write. Undefined for standard output. */
  target: string | undefined;
}

/** Transcribes the files of a command line, one after the other. */
export async function transcribeFiles(invocation: Invocation): Promise<void> {
  const { rest: files, output, json } = invocation;
  const jobs = planJobs(invocation);
  const [job] = jobs;
  if (jobs.length === 1 && job !== undefined) {
    // An unusable file fails before the service is contacted.
    const opened = await openFile(invocation, job);
    try {
      await transcribeFile(await prepareRecognition(invocation), job, opened);
    } finally {
      opened.source.stop();
    }
    return;
  }
  const recognition = await prepareRecognition(invocation);
  const failures: Error[] = [];
  for (const next of jobs) {
    try {
      announce(invocation, next);
      await transcribeFile(recognition, next, await openFile(invocation, next));
    } catch (error) {
      if (!(error instanceof UsageError || error instanceof PartialError)) throw error;
      if (json) output.noteJson({ error: { file: next.file, message: error.message } });
      else output.note(`svc-asr: ${error.message}`);
      failures.push(error);
    }
  }
  if (failures.length === 0) return;
  const message = `${failures.length} of ${files.length} files were not transcribed completely`;
  throw failures.every((error) => error instanceof PartialError) ? new PartialError(message) : new UsageError(message);
}

/** Checks the options and decides where each transcript goes. */
function planJobs({ rest: files, option, json, cwd }: Invocation): Job[] {
  const format = option('format') ?? 'text';
  if (!isFormat(format)) {
    throw new UsageError(`--format must be one of ${Object.keys(TRANSCRIPT_FORMATS).join(', ')}`);
  }
  const output = option('output');
  if (json && (option('format') !== undefined || output !== undefined)) {
    throw new UsageError('--json prints events and cannot be combined with --format or --output. Use --format json.');
  }
  if (files.filter((file) => file === '-').length > 1) throw new UsageError('standard input can be used only once');
  const given = output === '-' ? undefined : output;
  if (given === undefined && files.length > 1 && (format === 'srt' || format === 'vtt')) {
    throw new UsageError(`several files with --format ${format} require a folder: --output FOLDER`);
  }
  const folder = given === undefined ? undefined : folderOf(given, files.length, cwd);
  const targetOf = (file: string) => {
    if (given === undefined) return undefined;
    return folder === undefined ? resolve(cwd, given) : join(folder, nameFor(file, format));
  };
  const jobs = files.map((file): Job => ({ file, format, target: targetOf(file) }));
  const targets = jobs.flatMap(({ target }) => target ?? []);
  const repeated = targets.find((target, at) => targets.indexOf(target) !== at);
  if (repeated !== undefined) throw new UsageError(`two files would be written to ${repeated}`);
  targets.forEach(checkWritable);
  return jobs;
}

function isFormat(text: string): text is TranscriptFormat {
  return Object.hasOwn(TRANSCRIPT_FORMATS, text);
}

/**
 * Returns the folder that --output names. Undefined if it names a file. Creates the folder if there are several files
 * or the name ends with `/`.
 */
function folderOf(given: string, files: number, cwd: string): string | undefined {
  const path = resolve(cwd, given);
  if (isFolder(path)) return path;
  if (files === 1 && !given.endsWith('/')) return undefined;
  if (Object.values<string>(TRANSCRIPT_FORMATS).includes(extname(path).slice(1)) && !given.endsWith('/')) {
    throw new UsageError(`--output must name a folder for several files. If ${given} is a folder, append /`);
  }
  try {
    mkdirSync(path, { recursive: true });
    return path;
  } catch {
    throw new UsageError(`--output must name a folder for several files, and ${given} is a file`);
  }
}

function nameFor(file: string, format: TranscriptFormat): string {
  const name = file === '-' ? 'stdin' : basename(file, extname(file));
  return `${name}.${TRANSCRIPT_FORMATS[format]}`;
}

/** Prints the name of a file before its transcript, because the transcripts of several files follow each other. */
function announce({ json, output, stdout }: Invocation, { file, format, target }: Job): void {
  if (json) stdout.write(`${JSON.stringify({ type: 'file', file })}\n`);
  else if (format === 'text' && target === undefined) output.line(`==> ${file} <==`);
}

interface OpenedFile {
  source: PcmSource;
  /** Notes about the file. Printed at the end, because the terminal shows changing text until then. */
  notes: string[];
}

async function openFile({ cwd, stdin, env }: Invocation, { file }: Job): Promise<OpenedFile> {
  const notes: string[] = [];
  return { source: await openAudio({ file, cwd, stdin, env, note: (text) => notes.push(text) }), notes };
}

async function transcribeFile(recognition: Recognition, job: Job, { source, notes }: OpenedFile): Promise<void> {
  const { invocation, model, language } = recognition;
  const { output, has, json } = invocation;
  const { file, format, target } = job;
  try {
    const transcript = transcriptFor(invocation, job, source);
    const result = await transcribe(recognition, source, { transcript, isRealtime: has('realtime') });
    const { finals, samples } = result;
    if (!isLive(job)) {
      const text = formatTranscript(format, { file, model, language, finals, durationMs: samples / SAMPLES_PER_MS });
      await write(invocation, text, target);
    }
    if (!json && finals.every(({ text }) => text === '')) output.note(`No speech was recognized in ${file}.`);
    if (result.cut !== undefined) throw new PartialError(describeCut(result, source));
  } finally {
    for (const note of notes) output.note(note);
  }
}

/** Returns true if the transcript is printed while it grows. */
function isLive({ format, target }: Job): boolean {
  return format === 'text' && target === undefined;
}

function transcriptFor(invocation: Invocation, job: Job, { totalSamples }: PcmSource): Transcript {
  const { stdout, stderr, env, json } = invocation;
  // If the growing text does not appear on a terminal, standard error shows the progress.
  if (json || (isLive(job) && (stdout.isTTY === true || stderr.isTTY !== true))) return createTranscript(invocation);
  const live = liveTextOn(stderr, env);
  const totalMs = totalSamples === undefined ? undefined : totalSamples / SAMPLES_PER_MS;
  const progress = createProgressTranscript(
    live,
    createProgress(live, totalMs, () => performance.now()),
  );
  if (!isLive(job)) return progress;
  const text = createTranscript(invocation);
  return {
    show: (event) => {
      text.show(event);
      progress.show(event);
    },
    end: progress.end,
    showsWaits: progress.showsWaits,
  };
}

async function write({ stdout }: Invocation, text: string, target: string | undefined): Promise<void> {
  if (target === undefined) stdout.write(text);
  else await writeWhole(Readable.from([Buffer.from(text)]), target);
}

/** Describes which part of the audio was transcribed, and why the transcription ended there. */
function describeCut({ samples, cut }: Transcribed, { totalSamples }: PcmSource): string {
  const done = `only the first ${formatDuration(samples / SAMPLES_PER_MS)}`;
  const part = totalSamples === undefined ? done : `${done} of ${formatDuration(totalSamples / SAMPLES_PER_MS)}`;
  if (cut === 'credit') return `${part} were transcribed: the account has no more credit`;
  return cut === 'max-seconds'
    ? `${part} were transcribed because of --max-seconds`
    : `${part} were transcribed: the file ended early`;
}
