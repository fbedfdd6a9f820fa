import type { Latency } from './native.ts';

/** A client of another project, with its pinned packages in test/compat. */
export interface CompatClient {
  /** Folder in test/compat. */
  readonly folder: string;
  readonly language: 'Python' | 'Node';
  /** Package whose version the table of the results shows. */
  readonly packageName: string;
}

/** One way to use a client: a program that transcribes recordings. */
export interface CompatCase {
  readonly name: string;
  readonly client: CompatClient;
  /**
   * Program in the folder of the client, which prints transcripts. Its arguments are a model, a language and files. If
   * `audio` is `call`, the program is a server for phone calls, and its arguments contain no files.
   */
  readonly program: string;
  /** Route and options, as shown in the table of results that the tool prints. */
  readonly route: string;
  /** Latency of the context that the route uses. */
  readonly latency: Latency;
  /**
   * Audio that the native protocol gets: the files, the audio that the client sent, or the files as phone calls with
   * mu-law audio. The audio that a client sends differs from the files if the client resamples.
   */
  readonly audio: 'files' | 'connection' | 'call';
  /** Format of the files. The default is WAV. The native protocol gets the decoded audio. */
  readonly format?: 'flac' | 'opus';
  /** Whether `--short` includes the case. */
  readonly isShort: boolean;
}

const OPENAI_PYTHON: CompatClient = { folder: 'openai-python', language: 'Python', packageName: 'openai' };
const OPENAI_NODE: CompatClient = { folder: 'openai-node', language: 'Node', packageName: 'openai' };
const LIVEKIT: CompatClient = { folder: 'livekit', language: 'Python', packageName: 'livekit-plugins-openai' };
const PIPECAT: CompatClient = { folder: 'pipecat', language: 'Python', packageName: 'pipecat-ai' };
const TWILIO: CompatClient = { folder: 'twilio', language: 'Node', packageName: 'ws' };

export const CASES: readonly CompatCase[] = [
  {
    name: 'openai-python-file',
    client: OPENAI_PYTHON,
    program: 'file.py',
    route: 'file, WAV',
    latency: 'accurate',
    audio: 'files',
    isShort: true,
  },
  {
    name: 'openai-node-file',
    client: OPENAI_NODE,
    program: 'file.mjs',
    route: 'file, WAV',
    latency: 'accurate',
    audio: 'files',
    isShort: true,
  },
  {
    name: 'openai-python-flac',
    client: OPENAI_PYTHON,
    program: 'file.py',
    route: 'file, FLAC',
    latency: 'accurate',
    audio: 'files',
    format: 'flac',
    isShort: false,
  },
  {
    name: 'openai-python-opus',
    client: OPENAI_PYTHON,
    program: 'file.py',
    route: 'file, Ogg Opus',
    latency: 'accurate',
    audio: 'files',
    format: 'opus',
    isShort: false,
  },
  {
    name: 'openai-node-flac',
    client: OPENAI_NODE,
    program: 'file.mjs',
    route: 'file, FLAC',
    latency: 'accurate',
    audio: 'files',
    format: 'flac',
    isShort: false,
  },
  {
    name: 'openai-node-opus',
    client: OPENAI_NODE,
    program: 'file.mjs',
    route: 'file, Ogg Opus',
    latency: 'accurate',
    audio: 'files',
    format: 'opus',
    isShort: false,
  },
  {
    name: 'openai-python-stream',
    client: OPENAI_PYTHON,
    program: 'stream.py',
    route: 'file, WAV, server-sent events, deltas',
    latency: 'accurate',
    audio: 'files',
    isShort: false,
  },
  {
    name: 'openai-node-stream',
    client: OPENAI_NODE,
    program: 'stream.mjs',
    route: 'file, WAV, server-sent events',
    latency: 'accurate',
    audio: 'files',
    isShort: false,
  },
  {
    name: 'openai-python-realtime',
    client: OPENAI_PYTHON,
    program: 'realtime.py',
    route: 'realtime, PCM 16 kHz, deltas, commit',
    latency: 'balanced',
    audio: 'files',
    isShort: true,
  },
  {
    name: 'openai-node-realtime',
    client: OPENAI_NODE,
    program: 'realtime.mjs',
    route: 'realtime, PCM 16 kHz, commit',
    latency: 'balanced',
    audio: 'files',
    isShort: false,
  },
  {
    name: 'livekit',
    client: LIVEKIT,
    program: 'transcribe.py',
    route: 'realtime, PCM 24 kHz, server VAD',
    latency: 'balanced',
    audio: 'connection',
    isShort: false,
  },
  {
    name: 'pipecat',
    client: PIPECAT,
    program: 'transcribe.py',
    route: 'realtime, PCM 24 kHz, local VAD',
    latency: 'balanced',
    audio: 'connection',
    isShort: false,
  },
  {
    name: 'twilio',
    client: TWILIO,
    program: 'bridge.mjs',
    route: 'realtime, mu-law 8 kHz, server VAD, Twilio messages',
    latency: 'balanced',
    audio: 'call',
    isShort: false,
  },
];
