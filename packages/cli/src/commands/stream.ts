import type { Command } from '../command.ts';
import { UsageError } from '../exit.ts';
import { openMic } from '../mic-source.ts';
import { findRecorder, isOnPath, recordersFor } from '../recorder.ts';
import { STREAM_OPTIONS } from '../stream-options.ts';
import { prepareRecognition, transcribe } from '../transcribe.ts';
import { TRANSCRIPT_FORMATS } from '../transcript-format.ts';
import { createTranscript } from '../transcript.ts';
import { transcribeFiles } from '../transcribe-files.ts';

const transcribeCommand: Command = {
  words: ['transcribe'],
  args: ['FILE...'],
  summary:
    'Transcribe audio files of any length. WAV, FLAC and Ogg Opus work without other programs, and other formats work if ffmpeg is installed. Use - for standard input.',
  api: 'service',
  examples: [
    'svc-asr transcribe recording.wav --language ki',
    'svc-asr transcribe talk.mp3 --language ki-KE --format srt -o talk.srt',
    'svc-asr transcribe *.wav --language luo --format json -o transcripts/',
    'arecord -f S16_LE -r 16000 | svc-asr transcribe - --language ki',
  ],
  options: {
    ...STREAM_OPTIONS,
    format: {
      value: 'FORMAT',
      help: `Format of the transcript: ${Object.keys(TRANSCRIPT_FORMATS).join(', ')}. Default: text.`,
      short: 'f',
      choices: Object.keys(TRANSCRIPT_FORMATS),
    },
    output: {
      value: 'FILE',
      help: 'File to write, or a folder for one file per recording. Default: standard output.',
      short: 'o',
    },
    realtime: { help: 'Send the audio at the speed at which it was recorded.' },
  },
  run: transcribeFiles,
};

const mic: Command = {
  words: ['mic'],
  args: [],
  summary: 'Transcribe the microphone until Ctrl-C.',
  api: 'service',
  examples: ['svc-asr mic --language ki'],
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
    const recognition = await prepareRecognition(invocation);
    const { cut } = await transcribe(recognition, openMic(recorder, env), {
      transcript: createTranscript(invocation),
      isRealtime: false,
      onReady: () => output.note(`Recording with ${recorder.name}. Press Ctrl-C to stop and print the transcript.`),
      onInterrupt,
    });
    if (cut === 'credit') output.note('The account has no more credit.');
    if (cut === 'max-seconds') output.note('The recording ended because of --max-seconds.');
  },
};

export const STREAM_COMMANDS: readonly Command[] = [transcribeCommand, mic];
