import type { Word } from '../stream/server.ts';
import { Lines, wrapText } from './wrap.ts';

/** Text that is shown during an interval of the audio. */
export interface Cue {
  /** Start of the interval in milliseconds from the start of the audio, like the times of words. */
  start_ms: number;
  end_ms: number;
  text: string;
}

/** A cue with its words. */
export interface WordCue extends Cue {
  words: Word[];
}

/** Usual limits of subtitles: two lines of 42 characters, for at most 7 seconds. */
const LINE_CHARACTERS = 42;
const LINES = 2;
const MAX_CUE_MS = 7000;
/** A gap of this length between two words starts a new cue. */
const GAP_MS = 1000;

/** Groups words into cues. */
export function buildCues(words: readonly Word[]): WordCue[] {
  const cues: WordCue[] = [];
  /** Lines that the last cue fills. */
  let lines = new Lines(LINE_CHARACTERS);
  for (const word of words) {
    const cue = cues.at(-1);
    if (cue !== undefined && isInTime(cue, word) && lines.add(word.text).count <= LINES) {
      cue.text += ` ${word.text}`;
      cue.end_ms = word.end_ms;
      cue.words.push(word);
    } else {
      cues.push({ start_ms: word.start_ms, end_ms: word.end_ms, text: word.text, words: [word] });
      lines = new Lines(LINE_CHARACTERS).add(word.text);
    }
  }
  return cues;
}

function isInTime(cue: Cue, word: Word): boolean {
  return word.start_ms - cue.end_ms < GAP_MS && word.end_ms - cue.start_ms <= MAX_CUE_MS;
}

/** Formats cues as SubRip. */
export function formatSrt(cues: readonly Cue[]): string {
  return cues.map((cue, at) => `${at + 1}\n${timesOf(cue, ',')}\n${linesOf(cue)}\n`).join('\n');
}

/** Formats cues as WebVTT. Markup in the text is escaped, because players interpret it. */
export function formatVtt(cues: readonly Cue[]): string {
  const escape = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  return `WEBVTT\n\n${cues.map((cue) => `${timesOf(cue, '.')}\n${escape(linesOf(cue))}\n`).join('\n')}`;
}

function linesOf({ text }: Cue): string {
  return wrapText(text, LINE_CHARACTERS).join('\n');
}

function timesOf({ start_ms: start, end_ms: end }: Cue, separator: string): string {
  return `${timestamp(start, separator)} --> ${timestamp(end, separator)}`;
}

function timestamp(ms: number, separator: string): string {
  const pad = (value: number, digits = 2) => String(value).padStart(digits, '0');
  const seconds = Math.floor(ms / 1000);
  const clock = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60].map((part) => pad(part));
  return `${clock.join(':')}${separator}${pad(ms % 1000, 3)}`;
}
