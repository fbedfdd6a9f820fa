import type { FinalMessage, Word } from '@svc-asr/core';
import { buildCues, formatSrt, formatVtt } from '@svc-asr/core/subtitles';
import type { WordCue } from '@svc-asr/core/subtitles';
import type { TranscriptionParameters } from './parameters.ts';

/** Transcript of a file. */
export interface Transcript {
  readonly text: string;
  readonly words: readonly Word[];
  readonly seconds: number;
  readonly language: string;
}

/** Joins the finals of a file into one transcript. */
export function joinFinals(finals: readonly FinalMessage[]): Pick<Transcript, 'text' | 'words'> {
  const text = finals
    .map((final) => final.text)
    .filter((part) => part !== '')
    .join(' ');
  return { text, words: finals.flatMap(({ words }) => words) };
}

/** Builds the body of a response and its media type. */
export function buildAnswer(
  transcript: Transcript,
  parameters: TranscriptionParameters,
): { type: string; body: string } {
  const { text, words, seconds, language } = transcript;
  switch (parameters.format) {
    case 'json':
      return json({ text, usage: { type: 'duration', seconds: Math.ceil(seconds) } });
    case 'text':
      return { type: 'text/plain; charset=utf-8', body: `${text}\n` };
    case 'srt':
      return { type: 'text/plain; charset=utf-8', body: formatSrt(buildCues(words)) };
    case 'vtt':
      return { type: 'text/vtt; charset=utf-8', body: formatVtt(buildCues(words)) };
    case 'verbose_json': {
      const times = parameters.hasWords
        ? {
            words: words.map(({ text: word, start_ms, end_ms }) => ({
              word,
              start: start_ms / 1000,
              end: end_ms / 1000,
            })),
          }
        : { segments: buildCues(words).map(segment) };
      const usage = { type: 'duration', seconds: Math.ceil(seconds) };
      return json({ task: 'transcribe', language, duration: seconds, text, ...times, usage });
    }
  }
}

function json(body: object): { type: string; body: string } {
  return { type: 'application/json; charset=utf-8', body: JSON.stringify(body) };
}

/**
 * Builds a segment of `verbose_json`. Clients expect all of these fields, so fields that the recognizer does not
 * provide have neutral values.
 */
function segment({ start_ms: startMs, end_ms: endMs, text, words }: WordCue, id: number) {
  const unknown = { seek: 0, tokens: [], temperature: 0, compression_ratio: 1, no_speech_prob: 0 };
  return { id, start: startMs / 1000, end: endMs / 1000, text, avg_logprob: averageLogProb(words), ...unknown };
}

/** Value that replaces smaller confidences. Workers round confidences below this value to 0, and 0 has no logarithm. */
const MIN_CONFIDENCE = 0.0005;

/** Returns the mean logarithm of the confidences of words. 0 if no word has a confidence. */
function averageLogProb(words: readonly Word[]): number {
  const logProbs = words.flatMap(({ confidence }) =>
    confidence === undefined ? [] : [Math.log(Math.max(confidence, MIN_CONFIDENCE))],
  );
  const sum = logProbs.reduce((total, logProb) => total + logProb, 0);
  return logProbs.length === 0 ? 0 : sum / logProbs.length;
}
