import type { FinalMessage, Word } from '@svc-asr/core';
import type { TranscriptionParameters } from './parameters.ts';

/** A recognized file. */
export interface Transcript {
  readonly text: string;
  readonly words: readonly Word[];
  readonly seconds: number;
  readonly language: string;
}

/** A part of a transcript that is shown at a time. */
export interface Cue {
  readonly startMs: number;
  readonly endMs: number;
  readonly text: string;
}

/** A cue ends at a pause of this length, or before it gets longer than a reader can follow. */
const CUE_PAUSE_MS = 700;
const MAX_CUE_MS = 7000;
const MAX_CUE_CHARACTERS = 84;

/** Joins the finals of a file. */
export function joinFinals(finals: readonly FinalMessage[]): Pick<Transcript, 'text' | 'words'> {
  const text = finals
    .map((final) => final.text)
    .filter((part) => part !== '')
    .join(' ');
  return { text, words: finals.flatMap(({ words }) => words) };
}

/** Divides words into cues. */
export function divideIntoCues(words: readonly Word[]): Cue[] {
  const cues: Cue[] = [];
  for (const { text, start_ms: startMs, end_ms: endMs } of words) {
    const last = cues.at(-1);
    const fits =
      last !== undefined &&
      startMs - last.endMs < CUE_PAUSE_MS &&
      endMs - last.startMs <= MAX_CUE_MS &&
      last.text.length + 1 + text.length <= MAX_CUE_CHARACTERS;
    if (fits) cues[cues.length - 1] = { ...last, endMs, text: `${last.text} ${text}` };
    else cues.push({ startMs, endMs, text });
  }
  return cues;
}

/** Builds the body of an answer and its media type. */
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
      return { type: 'text/plain; charset=utf-8', body: buildSubtitles(divideIntoCues(words), ',', true) };
    case 'vtt':
      return {
        type: 'text/vtt; charset=utf-8',
        body: `WEBVTT\n\n${buildSubtitles(divideIntoCues(words), '.', false)}`,
      };
    case 'verbose_json': {
      const times = parameters.hasWords
        ? {
            words: words.map(({ text: word, start_ms, end_ms }) => ({
              word,
              start: start_ms / 1000,
              end: end_ms / 1000,
            })),
          }
        : { segments: divideIntoCues(words).map(segment) };
      const usage = { type: 'duration', seconds: Math.ceil(seconds) };
      return json({ task: 'transcribe', language, duration: seconds, text, ...times, usage });
    }
  }
}

function json(body: object): { type: string; body: string } {
  return { type: 'application/json; charset=utf-8', body: JSON.stringify(body) };
}

/** Clients expect all of these fields. Those that the recognizer does not have are neutral. */
function segment({ startMs, endMs, text }: Cue, id: number) {
  const unknown = { seek: 0, tokens: [], temperature: 0, avg_logprob: 0, compression_ratio: 1, no_speech_prob: 0 };
  return { id, start: startMs / 1000, end: endMs / 1000, text, ...unknown };
}

function buildSubtitles(cues: readonly Cue[], mark: ',' | '.', isNumbered: boolean): string {
  return cues
    .map(({ startMs, endMs, text }, i) => {
      const number = isNumbered ? `${i + 1}\n` : '';
      return `${number}${clock(startMs, mark)} --> ${clock(endMs, mark)}\n${text}\n\n`;
    })
    .join('');
}

function clock(ms: number, mark: ',' | '.'): string {
  const pad = (value: number, digits = 2) => String(Math.floor(value)).padStart(digits, '0');
  return `${pad(ms / 3_600_000)}:${pad((ms / 60_000) % 60)}:${pad((ms / 1000) % 60)}${mark}${pad(ms % 1000, 3)}`;
}
