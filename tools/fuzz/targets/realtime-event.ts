import { STREAM_LIMITS } from '@svc-asr/core';
import { decodeAudio, parseEvent } from '../../../gateway/src/openai/realtime/client-events.ts';
import { buildConfiguration, mergeUpdate } from '../../../gateway/src/openai/realtime/configuration.ts';
import { InputAudio, streamSamples } from '../../../gateway/src/openai/realtime/input-format.ts';
import { InvalidEvent } from '../../../gateway/src/openai/realtime/invalid-event.ts';
import { check } from '../engine/target.ts';
import type { FuzzTarget } from '../engine/target.ts';

const MAX_MESSAGE_CHARACTERS = 1000;
/** Samples that the filter of the resampler may add at a change of the format. */
const FILTER_SAMPLES = 200;

/** Handles the events of a connection, one per line, as the gateway does. */
function handle(lines: readonly string[]): void {
  let configuration = buildConfiguration(undefined);
  const audio = new InputAudio();
  for (const line of lines) {
    try {
      const event = parseEvent(line);
      if (event.type === 'session.update') configuration = mergeUpdate(configuration, event.session);
      if (event.type !== 'input_audio_buffer.append') continue;
      const bytes = decodeAudio(event.audio, configuration.format);
      const samples = audio.push(bytes, configuration.format).length / 2;
      const most = streamSamples(bytes.length, configuration.format) + FILTER_SAMPLES;
      check(Number.isInteger(samples) && samples <= most, `${bytes.length} bytes became ${samples} samples`);
    } catch (error) {
      if (!(error instanceof InvalidEvent)) throw error;
      check(error.message.length <= MAX_MESSAGE_CHARACTERS, 'the message of an error is too long');
    }
  }
  const { silenceMs = STREAM_LIMITS.minSilenceMs } = configuration;
  check(Number.isInteger(silenceMs), 'the silence is not a whole number');
  check(silenceMs >= STREAM_LIMITS.minSilenceMs && silenceMs <= STREAM_LIMITS.maxSilenceMs, 'the silence is not valid');
}

export const target: FuzzTarget = {
  property: 'Realtime events cause no error but InvalidEvent, and the configuration stays within its limits.',
  seeds: [
    '{"type":"session.update","session":{"type":"transcription","audio":{"input":{"format":{"type":"audio/pcmu"},"transcription":{"model":"m","delay":"low"},"turn_detection":{"type":"server_vad","silence_duration_ms":300}}}}}\n{"type":"input_audio_buffer.append","audio":"AAAAAAAA"}',
    '{"type":"session.update","session":{"audio":{"input":{"format":{"type":"audio/pcm","rate":16000},"turn_detection":null}}}}\n{"type":"input_audio_buffer.append","audio":"AAAA"}\n{"type":"input_audio_buffer.commit"}',
    '{"type":"input_audio_buffer.append","audio":"AAAAAAAA"}\n{"type":"input_audio_buffer.clear","event_id":"e"}',
  ],
  dictionary: ['"type":', 'null', '"audio/pcma"', '"rate":8000', '24000', '1e999', '-1e999', '0.5', '==', '\n', '{}'],
  maxBytes: 4096,
  run: (input) => handle(input.toString().split('\n')),
};
