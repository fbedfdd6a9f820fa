import type { FinalMessage } from '@svc-asr/client';
import { buildCues, formatSrt, formatVtt } from '@svc-asr/core/subtitles';

/** Formats of a transcript, each with its file extension. */
export const TRANSCRIPT_FORMATS = { text: 'txt', json: 'json', srt: 'srt', vtt: 'vtt' } as const;
export type TranscriptFormat = keyof typeof TRANSCRIPT_FORMATS;

export interface TranscriptContent {
  file: string;
  model: string;
  language: string;
  durationMs: number;
  finals: readonly FinalMessage[];
}

/** Formats a whole transcript. */
export function formatTranscript(format: TranscriptFormat, content: TranscriptContent): string {
  const { file, model, language, durationMs } = content;
  const finals = content.finals.filter(({ text }) => text !== '');
  const words = finals.flatMap((final) => final.words);
  if (format === 'srt') return formatSrt(buildCues(words));
  if (format === 'vtt') return formatVtt(buildCues(words));
  const texts = finals.map(({ text }) => text);
  if (format === 'text') return texts.map((text) => `${text}\n`).join('');
  const segments = finals.map((final) => ({
    start_ms: final.audio_start_ms,
    end_ms: final.audio_end_ms,
    text: final.text,
  }));
  const document = {
    file,
    model,
    language,
    duration_ms: Math.round(durationMs),
    text: texts.join(' '),
    segments,
    words,
  };
  return `${JSON.stringify(document, null, 2)}\n`;
}
