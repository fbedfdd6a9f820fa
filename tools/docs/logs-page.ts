import { buildPage, buildTable, code } from './markdown.ts';

/** Builds the page of all log fields. */
export function buildLogsPage(fields: Readonly<Record<string, string>>): string {
  const introduction = [
    'Services write one JSON object per line to standard output. Each has `level`, `time` (ISO 8601),',
    '`message` and the fields below that apply. API keys, session credentials, `Authorization`, audio',
    'and transcripts are never logged. As a safeguard, a filter redacts them in every line.',
  ].join('\n');
  const rows = Object.entries(fields).map(([name, meaning]) => [code(name), meaning]);
  return buildPage('Logs', introduction, [buildTable(['field', 'meaning'], rows)]);
}
