import { MAX_AUDIO_SECONDS, SAMPLES_PER_MS, samplesOf } from '@svc-asr/core/stream';
import type { Command } from '../command.ts';
import { formatDuration } from '../duration.ts';
import { PartialError, UsageError } from '../exit.ts';
import { openMic } from '../mic-source.ts';
import type { PcmSource } from '../pcm-source.ts';
import { findRecorder, isOnPath, recordersFor } from '../recorder.ts';
import { STREAM_OPTIONS } from '../stream-options.ts';
import { transcribe } from '../transcribe.ts';
import type { Transcribed } from '../transcribe.ts';
import { openWav } from '../wav-source.ts';

const transcribeFile: Command = {
  words: ['transcribe'],
  args: ['FILE.wav'],
  summary: 'Transcribe a WAV file of any rate, channels and depth; - reads it from standard input.',
  speaksTo: 'service',
  options: {
    ...STREAM_OPTIONS,
    realtime: { help: 'Send the audio no faster than it was spoken.' },
  },
  run: async (invocation) => {
    const { argument, has, cwd, stdin, output } = invocation;
    // Said at the end: in between, text that changes stands on the terminal.
    const remarks: string[] = [];
    const note = (text: string) => remarks.push(text);
    const source = await openWav({ file: argument('FILE.wav'), cwd, stdin, note });
    try {
      const result = await transcribe(invocation, source, { isRealtime: has('realtime') });
      if (result.isCut) throw new PartialError(describeCut(result, source));
    } finally {
      for (const remark of remarks) output.note(remark);
    }
  },
};

/** What was left out, and why. */
function describeCut({ samples, session, wantedSeconds }: Transcribed, { totalSamples }: PcmSource): string {
  const done = `only the first ${formatDuration(samples / SAMPLES_PER_MS)}`;
  const what = totalSamples === undefined ? done : `${done} of ${formatDuration(totalSamples / SAMPLES_PER_MS)}`;
  const reserved = session.audio.max_audio_seconds;
  if (reserved < wantedSeconds) return `${what} were transcribed: the account has no credit for more`;
  if (wantedSeconds < MAX_AUDIO_SECONDS) return `${what} were transcribed, as --max-seconds says`;
  return `${what} were transcribed: a session takes at most ${formatDuration(MAX_AUDIO_SECONDS * 1000)}`;
}

const mic: Command = {
  words: ['mic'],
  args: [],
  summary: 'Transcribe what the microphone hears until Ctrl-C.',
  speaksTo: 'service',
  options: {
    ...STREAM_OPTIONS,
    recorder: { value: 'NAME', help: 'The program that records. Default: the first that is installed.' },
  },
  run: async (invocation) => {
    const { env, option, output, onInterrupt } = invocation;
    const recorders = recordersFor(process.platform);
    const names = recorders.map(({ name }) => name).join(', ');
    const wanted = option('recorder');
    const allowed = recorders.filter(({ name }) => wanted === undefined || name === wanted);
    if (allowed.length === 0) throw new UsageError(`--recorder takes one of ${names}`);
    const recorder = findRecorder(allowed, (name) => isOnPath(name, env, process.platform));
    if (recorder === undefined) {
      throw new UsageError(`No program that records a microphone is installed. Install one of: ${wanted ?? names}.`);
    }
    const source = openMic(recorder, env);
    const onReady = () => output.note(`Listening with ${recorder.name}. Ctrl-C ends and prints the transcript.`);
    const { samples, session } = await transcribe(invocation, source, { isRealtime: false, onReady, onInterrupt });
    const { max_audio_seconds: limit } = session.audio;
    if (samples >= samplesOf(limit)) output.note(`The ${formatDuration(limit * 1000)} that were reserved are used up.`);
  },
};

export const STREAM_COMMANDS: readonly Command[] = [transcribeFile, mic];
