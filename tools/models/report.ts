import type { ImportArguments } from './arguments.ts';
import type { EngineCheck } from './engine-check.ts';
import type { ImportFacts } from './facts.ts';

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
  readonly wordErrors?: {
    readonly context: readonly [number, number];
    readonly utterances: number;
    readonly words: number;
    readonly errors: number;
    readonly percent: number;
  };
  readonly notes: readonly string[];
}

/** Builds the report of an import. `source` is the name of the imported file. */
export function buildReport(
  { id, languageCode }: ImportArguments,
  source: string,
  facts: ImportFacts,
  { transcripts, gpuTranscripts, streamsPerCore, wordErrors }: EngineCheck,
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
    ...(wordErrors === undefined
      ? {}
      : { wordErrors: { ...wordErrors, percent: percent(wordErrors.errors, wordErrors.words) } }),
    notes,
  };
}

function percent(part: number, whole: number): number {
  return whole === 0 ? 0 : Math.round((10_000 * part) / whole) / 100;
}

/** Formats a report as Markdown. */
export function formatReport(report: ImportReport): string {
  const { wordErrors, prompt } = report;
  const kind = report.type === 'ctc' ? 'CTC' : 'transducer';
  const lines = [
    `# ${report.id}`,
    '',
    `Imported from \`${report.source}\`. Language \`${report.languageCode}\`, ${kind}, ${report.layers} layers of width`,
    `${report.width}, ${report.mels} mels, ${report.pieces} pieces${prompt === undefined ? '' : `, language prompt ${prompt}`}.`,
    '',
    `- ${report.equalTranscripts} transcripts of the worker are equal to those of the model. With GPU graphs,`,
    `  ${report.equalGpuTranscripts} of them are equal.`,
    `- One core of the machine of the import serves ${report.streamsPerCore} streams.`,
    wordErrors === undefined
      ? '- Word errors were not counted, because no manifest was given.'
      : `- ${wordErrors.percent} % word errors at [${wordErrors.context.join(', ')}]: ${wordErrors.errors} of ` +
        `${wordErrors.words} words in ${wordErrors.utterances} utterances.`,
    ...report.notes.map((note) => `- ${note}`),
    '',
    `| context | largest difference of the CPU graph | pieces that differ on a GPU (${report.gpuPrecision}) |`,
    '|---|---|---|',
    ...report.contexts.map(
      ({ context, largestDifference, checkedPieces, gpuPieceErrors }) =>
        `| [${context.join(', ')}] | ${largestDifference.toExponential(1)} | ${gpuPieceErrors} of ${checkedPieces} |`,
    ),
  ];
  return `${lines.join('\n')}\n`;
}
