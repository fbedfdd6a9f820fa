import { parseObject } from '@svc-asr/core';
import { InvalidEvent } from './invalid-event.ts';
import { widthOf } from './input-format.ts';
import type { InputFormat } from './input-format.ts';

/** An event of a client. */
export type ClientEvent = { readonly eventId: string | undefined } & (
  | { readonly type: 'session.update'; readonly session: unknown }
  | { readonly type: 'input_audio_buffer.append'; readonly audio: unknown }
  | { readonly type: 'input_audio_buffer.commit' | 'input_audio_buffer.clear' }
);

const TYPES = [
  'session.update',
  'input_audio_buffer.append',
  'input_audio_buffer.commit',
  'input_audio_buffer.clear',
] as const;

const BETA_UPDATE = 'transcription_session.update';

/** Parses a message of a client. Throws if the message is not an event that this service supports. */
export function parseEvent(text: string): ClientEvent {
  const value = parseObject(text);
  if (value === undefined) throw new InvalidEvent('invalid_json', 'An event must be a JSON object in a text frame.');
  const { type, event_id: eventId, session, audio } = value;
  const known = TYPES.find((one) => one === type);
  if (known === undefined) throw new InvalidEvent('unknown_event', describeUnknown(type), 'type');
  return { type: known, eventId: typeof eventId === 'string' ? eventId : undefined, session, audio };
}

function describeUnknown(type: unknown): string {
  if (type === BETA_UPDATE) return `${BETA_UPDATE} belongs to the beta interface. Send session.update instead.`;
  // Only a short lowercase name is quoted, because a client may send a secret as the type by mistake.
  const given = typeof type === 'string' && /^[a-z_.]{1,64}$/.test(type) ? `, not ${type}` : '';
  return `"type" must be one of ${TYPES.join(', ')}${given}.`;
}

/** Decodes the audio of an `append` event. Throws if it is not base64, or does not consist of whole samples. */
export function decodeAudio(audio: unknown, format: InputFormat): Buffer {
  if (typeof audio !== 'string')
    throw new InvalidEvent('invalid_audio', '"audio" must be a string in base64.', 'audio');
  const bytes = Buffer.from(audio, 'base64');
  // The base64 decoder of Node skips invalid characters, so that the result is too short.
  if (bytes.length !== decodedLength(audio)) {
    throw new InvalidEvent('invalid_audio', '"audio" is not valid base64; it was not accepted.', 'audio');
  }
  if (bytes.length % widthOf(format) !== 0) {
    const message = '"audio" has an odd number of bytes; it was not accepted. A sample has two bytes.';
    throw new InvalidEvent('invalid_audio', message, 'audio');
  }
  return bytes;
}

function decodedLength(text: string): number {
  const padding = text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0;
  return Math.floor(((text.length - padding) * 3) / 4);
}
