import type { ImportArguments } from './arguments.ts';
import type { EightBitCheck, EngineCheck, WordErrors } from './engine-check.ts';
import type { ImportFacts } from './facts.ts';

interface WordErrorReport extends WordErrors {
  readonly percent: number;
}

interface EightBitReport {
  readonly equalTranscripts: number;
  readonly streamsPerCore: number;
  readonly wordErrors?: WordErrorReport;
}

/** Content of report.json of an imported model. */
export interface ImportReport {
  readonly id: string;
  readonly languageCode: string;
  readonly source: string;
  readonly type: 'ctc' | 'transducer';
  readonly layers: number;
  readonly width: number;
  readonly mels: number;
  readonly pieces: number;
  readonly prompt?: number;
  readonly gpuPrecision: 'f16' | 'f32';
  readonly contexts: readonly {
    readonly context: readonly [number, number];
    readonly largestDifference: number;
    readonly checkedPieces: number;
    readonly gpuPieceErrors: number;
  }[];
  /** Number of transcripts of the worker's engine that are equal to those of the model. */
  readonly equalTranscripts: number;
  /**
   * Number of transcripts of the GPU graphs that are equal to those of the model. The graphs run on the CPU in this
   * check.
   */
  readonly equalGpuTranscripts: number;
  readonly streamsPerCore: number;
  readonly wordErrors?: WordErrorReport;
  /**
   * Results of the CPU graph in the folder, if it has 8 bits. The other results for CPUs in this report are those of the
   * same graph in 32 bits.
   */
  readonly eightBits?: EightBitReport;
  readonly notes: readonly string[];
}

/** Builds the report of an import. `source` is the name of the imported file. */
export function buildReport(
  { id, languageCode }: ImportArguments,
  source: string,
  facts: ImportFacts,
  { transcripts, gpuTranscripts, streamsPerCore, wordErrors }: EngineCheck,
  eightBits?: EightBitCheck,
): ImportReport {
  const { type, layers, width, mels, pieces, gpuPrecision, notes, parity, prompt } = facts;
  return {
    id,
    languageCode,
    source,
    type,
    layers,
    width,
    mels,
    pieces,
    ...(prompt === undefined ? {} : { prompt }),
    gpuPrecision,
    contexts: parity.map(({ context, largestDifference, pieces: found, gpuPieceErrors }) => ({
      context,
      largestDifference,
      checkedPieces: found.reduce((sum, { length }) => sum + length, 0),
      gpuPieceErrors,
    })),
    equalTranscripts: transcripts,
    equalGpuTranscripts: gpuTranscripts,
    streamsPerCore,
    ...withPercent(wordErrors),
    ...(eightBits === undefined ? {} : { eightBits: reportEightBits(eightBits) }),
    notes,
  };
}

function reportEightBits({ equalTranscripts, streamsPerCore, wordErrors }: EightBitCheck): EightBitReport {
  return { equalTranscripts, streamsPerCore, ...withPercent(wordErrors) };
}

function withPercent(wordErrors: WordErrors | undefined): { wordErrors?: WordErrorReport } {
  if (wordErrors === undefined) return {};
  return { wordErrors: { ...wordErrors, percent: percent(wordErrors.errors, wordErrors.words) } };
}

function percent(part: number, whole: number): number {
  return whole === 0 ? 0 : Math.round((10_000 * part) / whole) / 100;
}

/** Formats a report as Markdown. */
export function formatReport(report: ImportReport): string {
  const { wordErrors, prompt, eightBits } = report;
  const kind = report.type === 'ctc' ? 'CTC' : 'transducer';
  const lines = [
    `# ${report.id}`,
    '',
    `Imported from \`${report.source}\`. Language \`${report.languageCode}\`, ${kind}, ${report.layers} layers of width`,
    `${report.width}, ${report.mels} mels, ${report.pieces} pieces${prompt === undefined ? '' : `, language prompt ${prompt}`}.`,
    '',
    `- ${report.equalTranscripts} transcripts of the worker (${report.equalTranscripts / report.contexts.length} recordings at each context) are`,
    `  equal to those of the model. With GPU graphs, ${report.equalGpuTranscripts} of them are equal.`,
    `- One core of the machine of the import serves ${report.streamsPerCore} streams.`,
    wordErrors === undefined
      ? '- Word errors were not counted, because no manifest was given.'
      : `- ${formatErrors(wordErrors)}`,
    ...(eightBits === undefined ? [] : formatEightBits(eightBits, report.equalTranscripts)),
    ...report.notes.map((note) => `- ${note}`),
    '',
    `| context | largest difference of the CPU graph in 32 bits | pieces that differ on a GPU (${report.gpuPrecision}) |`,
    '|---|---|---|',
    ...report.contexts.map(
      ({ context, largestDifference, checkedPieces, gpuPieceErrors }) =>
        `| [${context.join(', ')}] | ${largestDifference.toExponential(1)} | ${gpuPieceErrors} of ${checkedPieces} |`,
    ),
  ];
  return `${lines.join('\n')}\n`;
}

function formatErrors({ percent: share, context, errors, words, utterances }: WordErrorReport): string {
  return `${share} % word errors at [${context.join(', ')}]: ${errors} of ${words} words in ${utterances} utterances.`;
}

function formatEightBits({ equalTranscripts, wordErrors, streamsPerCore }: EightBitReport, all: number): string[] {
  return [
    '- The lines above have the results of the CPU graph in 32 bits. The graph in this folder has 8 bits:',
    `  - ${equalTranscripts} of ${all} transcripts are equal to those of the model.`,
    `  - One core serves ${streamsPerCore} streams.`,
    ...(wordErrors === undefined ? [] : [`  - ${formatErrors(wordErrors)}`]),
  ];
}
