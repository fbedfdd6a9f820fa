import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { ApiError, AUDIO, FILE_LIMITS } from '@svc-asr/core';

const ENTRY = import.meta.url.endsWith('.ts') ? './decode-process.ts' : './decode-process.js';
/** Longest time of a decoder. Files of the largest size take about a second. */
const TIMEOUT_MS = 30_000;
const MAX_BYTES = FILE_LIMITS.maxSeconds * AUDIO.sampleRateHz * AUDIO.bytesPerSample;
/** Exit codes of a decoder that does not know the format of a file, or that found it damaged. */
const UNSUPPORTED = 2;
const DAMAGED = 3;
const MAX_MESSAGE = 500;

/** Decodes a file to the audio of a stream, in parts. Throws 400 if that is not possible. */
export function decodeFile(file: Buffer, signal: AbortSignal): Promise<Buffer[]> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [fileURLToPath(new URL(ENTRY, import.meta.url))], {
      stdio: ['pipe', 'pipe', 'pipe'],
      env: {},
      timeout: TIMEOUT_MS,
      killSignal: 'SIGKILL',
      signal,
    });
    child.on('error', (error) => {
      // The client has disconnected and receives no response, but the handlers of the request still have to end.
      reject(signal.aborted ? new ApiError('invalid_audio', { message: 'The client has disconnected.' }) : error);
    });
    // The process was not started and has no streams. The error follows.
    if (child.pid === undefined) return;
    const chunks: Buffer[] = [];
    let [bytes, message] = [0, ''];
    child.stdout.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes <= MAX_BYTES) {
        chunks.push(chunk);
        return;
      }
      reject(tooLong());
      child.kill('SIGKILL');
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => (message = (message + text).slice(0, MAX_MESSAGE)));
    // The decoder may end before it has read the whole file.
    child.stdin.on('error', () => undefined);
    child.on('close', (code, killedBy) => {
      if (code === 0) resolve(chunks);
      else if (code === UNSUPPORTED)
        reject(new ApiError('unsupported_audio', { message: unreadable('WAV file', message) }));
      else if (code === DAMAGED) reject(new ApiError('invalid_audio', { message: unreadable('audio', message) }));
      else if (child.killed) reject(new ApiError('invalid_audio', { message: 'The audio takes too long to decode.' }));
      else reject(new Error(`the decoder ended with ${code ?? killedBy}: ${message}`));
    });
    child.stdin.end(file);
  });
}

function tooLong(): ApiError {
  const message = `The file has more than ${FILE_LIMITS.maxSeconds} seconds of audio. Split it, or use a stream.`;
  return new ApiError('audio_too_long', { message });
}

function unreadable(what: string, problem: string): string {
  return `The file has no ${what} that can be read (${problem}).`;
}
