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
  summary: 'Transcribe a WAV file of any sample rate, channel count and depth. Use - for standard input.',
  api: 'service',
  examples: [
    'svc-asr transcribe recording.wav',
    'svc-asr transcribe recording.wav --language luo --json',
    'ffmpeg -v error -i talk.mp3 -f wav - | svc-asr transcribe -',
  ],
  options: {
    ...STREAM_OPTIONS,
    realtime: { help: 'Send the audio at the speed at which it was recorded.' },
  },
  run: async (invocation) => {
    const { argument, has, cwd, stdin, output } = invocation;
    // Printed at the end, because the terminal shows changing text until then.
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

/** Describes the part of the audio that was transcribed and why the rest was not. */
function describeCut({ samples, session, requestedSeconds }: Transcribed, { totalSamples }: PcmSource): string {
  const done = `only the first ${formatDuration(samples / SAMPLES_PER_MS)}`;
  const what = totalSamples === undefined ? done : `${done} of ${formatDuration(totalSamples / SAMPLES_PER_MS)}`;
  const reserved = session.audio.max_audio_seconds;
  if (reserved < requestedSeconds) return `${what} were transcribed: the account has no more credit`;
  if (requestedSeconds < MAX_AUDIO_SECONDS) return `${what} were transcribed because of --max-seconds`;
  return `${what} were transcribed: a session is limited to ${formatDuration(MAX_AUDIO_SECONDS * 1000)}`;
}

const mic: Command = {
  words: ['mic'],
  args: [],
  summary: 'Transcribe the microphone until Ctrl-C.',
  api: 'service',
  options: {
    ...STREAM_OPTIONS,
    recorder: { value: 'NAME', help: 'Recording program. Default: the first installed one.' },
  },
  run: async (invocation) => {
    const { env, option, output, onInterrupt } = invocation;
    const recorders = recordersFor(process.platform);
    const names = recorders.map(({ name }) => name).join(', ');
    const wanted = option('recorder');
    const allowed = recorders.filter(({ name }) => wanted === undefined || name === wanted);
    if (allowed.length === 0) throw new UsageError(`--recorder must be one of ${names}`);
    const recorder = findRecorder(allowed, (name) => isOnPath(name, env, process.platform));
    if (recorder === undefined) {
      throw new UsageError(`No recording program is installed. Install one of: ${wanted ?? names}.`);
    }
    const source = openMic(recorder, env);
    const onReady = () =>
      output.note(`Recording with ${recorder.name}. Press Ctrl-C to stop and print the transcript.`);
    const { samples, session } = await transcribe(invocation, source, { isRealtime: false, onReady, onInterrupt });
    const { max_audio_seconds: limit } = session.audio;
    if (samples >= samplesOf(limit)) output.note(`The reserved ${formatDuration(limit * 1000)} are used up.`);
  },
};

export const STREAM_COMMANDS: readonly Command[] = [transcribeFile, mic];
