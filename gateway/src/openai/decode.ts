import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { ApiError, AUDIO, FILE_LIMITS } from '@svc-asr/core';
import { ACCEPTED_FORMATS } from '@svc-asr/decoders';
import { EXIT_CODES, HEAD_BYTES, parseHead } from './decode-protocol.ts';

/** Decoded audio of a file, in the audio format of streams. */
export interface DecodedAudio {
  /** Exact number of samples. */
  readonly samples: number;
  /** Frames of whole samples, each small enough for a stream. The decoder waits until the next frame is requested. */
  readonly frames: AsyncIterator<Buffer, undefined>;
  /** Ends the decoder. Call it when no more frames are needed. */
  close: () => void;
  /** Resolves when the decoder has ended. */
  readonly closed: Promise<void>;
}

export interface DecoderLimits {
  /** Maximum duration of the audio in a file. */
  readonly maxSeconds: number;
  /**
   * Maximum memory of the decoder process. Node needs 60 MiB of it, the file up to 25 MiB and the decoder up to 60 MiB.
   */
  readonly maxBytes: number;
  /** Maximum time that a decoder may take to check a file. */
  readonly checkTimeoutMs: number;
}

export const DECODER_LIMITS: DecoderLimits = {
  maxSeconds: FILE_LIMITS.maxSeconds,
  maxBytes: 200 * 1_048_576,
  checkTimeoutMs: 300_000,
};
const ENTRY = import.meta.url.endsWith('.ts') ? './decode-process.ts' : './decode-process.js';
/** Maximum time that a decoder may take to write its next audio, after it has checked the file. */
const STALL_TIMEOUT_MS = 30_000;
const MAX_MESSAGE = 500;
/**
 * Options of Node that limit the heap in MiB, and the memory of a WebAssembly decoder in pages of 64 KiB. The decoder
 * process itself checks the total, which includes buffers.
 */
export const MEMORY_LIMITS = ['--max-old-space-size=64', '--max-semi-space-size=4', '--wasm-max-mem-pages=1024'];

/**
 * Decodes a file in a separate process. Throws 400 if the file cannot be decoded. When the promise resolves, the whole
 * file has been checked. Reading the frames afterwards fails only if the decoder itself fails.
 */
export async function decodeFile(
  file: Buffer,
  signal: AbortSignal,
  limits: DecoderLimits = DECODER_LIMITS,
): Promise<DecodedAudio> {
  const child = spawn(
    process.execPath,
    [
      ...MEMORY_LIMITS,
      fileURLToPath(new URL(ENTRY, import.meta.url)),
      String(limits.maxSeconds),
      String(limits.maxBytes),
    ],
    { stdio: ['pipe', 'pipe', 'pipe'], env: {}, killSignal: 'SIGKILL', signal },
  );
  const ended = whenEnded(child, child.stderr, signal);
  const close = () => {
    child.kill('SIGKILL');
    // The end of a process is reported only after its output was read or discarded.
    child.stdout.destroy();
  };
  // If the process fails, the next read throws the error. There may be no further read, so the rejection is also
  // handled here.
  const closed = ended.catch(() => undefined);
  // If the process could not be started, it has no output streams.
  if (child.pid === undefined) return ended as Promise<never>;
  // The decoder may end before it has read the whole file, which breaks this pipe.
  child.stdin.on('error', () => undefined);
  child.stdin.end(file);
  const read = createReader(child.stdout, ended, close);
  const head = await readHead(read, limits.checkTimeoutMs);
  return { samples: head.samples, frames: splitFrames(head.rest, read), close, closed };
}

/** Returns the next output of a decoder, or undefined at the end of the output. Throws if the decoder failed. */
type Read = (timeoutMs: number) => Promise<Buffer | undefined>;

function createReader(output: Readable, ended: Promise<void>, close: () => void): Read {
  const chunks = output[Symbol.asyncIterator]() as AsyncIterator<Buffer, undefined>;
  return async (timeoutMs) => {
    const late = new AbortController();
    const timer = setTimeout(() => {
      late.abort();
      close();
    }, timeoutMs);
    // A read of a closed output throws. This error is ignored, because `ended` is awaited next and rejects with the
    // reason.
    const { value } = await chunks.next().catch(() => ({ value: undefined }));
    clearTimeout(timer);
    if (late.signal.aborted) throw new ApiError('invalid_audio', { message: TOO_SLOW });
    if (value === undefined) await ended;
    return value;
  };
}

/** Reads the number of samples. The decoder writes this number after it has checked the whole file. */
async function readHead(read: Read, timeoutMs: number): Promise<{ samples: number; rest: Buffer }> {
  let bytes = Buffer.alloc(0);
  while (bytes.length < HEAD_BYTES) {
    const chunk = await read(timeoutMs);
    if (chunk === undefined) throw new Error('the decoder ended without a result');
    bytes = Buffer.concat([bytes, chunk]);
  }
  return { samples: parseHead(bytes), rest: bytes.subarray(HEAD_BYTES) };
}

/** Divides the output of a decoder into frames of whole samples. */
async function* splitFrames(first: Buffer, read: Read): AsyncGenerator<Buffer, undefined> {
  let rest = first;
  for (;;) {
    while (rest.length >= AUDIO.bytesPerSample) {
      const bytes = Math.min(rest.length - (rest.length % AUDIO.bytesPerSample), AUDIO.maxFrameBytes);
      yield rest.subarray(0, bytes);
      rest = rest.subarray(bytes);
    }
    const chunk = await read(STALL_TIMEOUT_MS);
    if (chunk === undefined) return undefined;
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
  }
}

/** Resolves when a decoder has ended successfully. Otherwise rejects with the error that the client receives. */
function whenEnded(child: ChildProcess, stderr: Readable, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    let message = '';
    child.on('error', (error) => {
      // The client has disconnected and receives no response, but the handlers of the request must still end.
      reject(signal.aborted ? new ApiError('invalid_audio', { message: 'The client has disconnected.' }) : error);
    });
    stderr.setEncoding('utf8').on('data', (text: string) => (message = (message + text).slice(0, MAX_MESSAGE)));
    child.on('close', (code, killedBy) => {
      if (code === 0) resolve();
      else reject(refusalOf(code, killedBy, message) ?? new Error(`the decoder ended with ${code}: ${message}`));
    });
  });
}

function refusalOf(code: number | null, killedBy: string | null, problem: string): ApiError | undefined {
  // A decoder that reaches the limit of its heap is aborted by a signal.
  if (killedBy !== null)
    return new ApiError('invalid_audio', { message: `The decoder failed on this file. ${CONVERT}` });
  switch (code) {
    case EXIT_CODES.unsupported: {
      const message = `The audio format is not supported (${problem}). Accepted formats are ${ACCEPTED_FORMATS}.`;
      return new ApiError('unsupported_audio', { message });
    }
    case EXIT_CODES.damaged:
      return new ApiError('invalid_audio', { message: `The audio cannot be decoded (${problem}).` });
    case EXIT_CODES.tooMuchMemory:
      return new ApiError('invalid_audio', { message: `The audio takes too much memory to decode. ${CONVERT}` });
    case EXIT_CODES.tooLong:
      return new ApiError('audio_too_long', { message: TOO_LONG });
    case null:
    default:
      return undefined;
  }
}

const CONVERT = 'Convert it to WAV with 16 bits and 16,000 Hz.';
const TOO_SLOW = 'The audio takes too long to decode. Convert it to WAV with 16 bits and 16,000 Hz, or split it.';
const TOO_LONG = `The file has more than ${FILE_LIMITS.maxSeconds / 3600} hours of audio. Split it, or use a stream.`;
