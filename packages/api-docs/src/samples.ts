import { readText } from './files.ts';
import type { CodeSample } from './openapi/document.ts';

export const LIST_MODELS_SAMPLES = [shell('list-models.sh'), node('list-models.mjs')];
export const CREATE_SESSION_SAMPLES = [shell('create-session.sh'), node('create-session.mjs')];
export const TRANSCRIBE_FILE_SAMPLES = [shell('transcribe-file.sh'), node('transcribe-file.mjs')];
export const GET_USAGE_SAMPLES = [shell('get-usage.sh'), node('get-usage.mjs')];

/**
 * Example programs for the stream. The browser program has two files and streams the microphone. The other programs
 * stream a file.
 */
export const STREAM_SAMPLES = [
  javascript('Browser', 'stream.browser.js'),
  javascript('Browser: pcm16.js', 'pcm16.js'),
  node('stream.mjs'),
  { lang: 'python', label: 'Python', source: readText('samples/stream.py') },
];

function shell(file: string): CodeSample {
  return { lang: 'shell', label: 'curl', source: readText(`samples/${file}`) };
}

function node(file: string): CodeSample {
  return javascript('Node', file);
}

function javascript(label: string, file: string): CodeSample {
  return { lang: 'javascript', label, source: readText(`samples/${file}`) };
}
