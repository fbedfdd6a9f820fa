import type { TSchema } from 'typebox';
import type { Reference } from '../openapi/document.ts';
import { EXAMPLE_SESSION_ID, EXAMPLE_URL } from '../openapi/examples.ts';
import { INTERFACE_VERSION } from '../openapi/openapi.ts';
import { publishSchemas, refTo } from '../json-schema.ts';
import {
  CLIENT_MESSAGES,
  CLOSE_CODES,
  SERVER_MESSAGES,
  SESSION_CREDENTIAL_PREFIX,
  STREAM_ERRORS,
  STREAM_LIMITS,
  STREAM_SUBPROTOCOL,
  streamPath,
  Word,
} from '@svc-asr/core';
import type { AsyncApiDocument, Message, StreamChannel, StreamOperation } from './document.ts';
import { CLIENT_EXAMPLES, SERVER_EXAMPLES } from './examples.ts';
import { realtimeChannel, realtimeMessages, realtimeOperations, REALTIME_SCHEMAS } from './realtime.ts';
import { streamGuide } from '../guides.ts';
import { STREAM_SAMPLES } from '../samples.ts';

const MESSAGES: Readonly<Record<string, TSchema>> = { ...CLIENT_MESSAGES, ...SERVER_MESSAGES };
const EXAMPLES: Readonly<Record<string, readonly unknown[]>> = { ...CLIENT_EXAMPLES, ...SERVER_EXAMPLES };
const CHANNEL: Reference = { $ref: '#/channels/stream' };

/** Builds the AsyncAPI 3.0 document of the stream and of realtime connections. */
export function buildAsyncApi(): AsyncApiDocument {
  return {
    asyncapi: '3.0.0',
    info: { title: 'svc-asr stream', version: INTERFACE_VERSION, description: streamGuide() },
    defaultContentType: 'application/json',
    // When the gateway starts, it replaces host, protocol and pathname with those of its PUBLIC_URL.
    servers: { service: { host: new URL(EXAMPLE_URL).host, protocol: 'wss', description: 'This service.' } },
    channels: { stream: channel(), realtime: realtimeChannel() },
    operations: { ...operations(), ...realtimeOperations() },
    components: {
      messages: { ...messages(), ...realtimeMessages() },
      schemas: publishSchemas({ ...MESSAGES, word: Word, ...REALTIME_SCHEMAS }, []),
    },
  };
}

function channel(): StreamChannel {
  const protocols = `${STREAM_SUBPROTOCOL}, ${SESSION_CREDENTIAL_PREFIX}…`;
  return {
    address: streamPath('{id}'),
    title: 'Stream of a session',
    description: 'Open it with the `websocket_url` and `websocket_protocols` of a session from POST /v1/asr/sessions.',
    parameters: { id: { description: 'Id of the session.', examples: [EXAMPLE_SESSION_ID] } },
    messages: Object.fromEntries(
      ['audio', ...Object.keys(MESSAGES)].map((name) => [name, { $ref: `#/components/messages/${name}` }]),
    ),
    bindings: {
      ws: {
        method: 'GET',
        headers: {
          type: 'object',
          properties: {
            'Sec-WebSocket-Protocol': {
              type: 'string',
              description: 'Both values of `websocket_protocols`, in this order. The second is a secret.',
              examples: [protocols],
            },
          },
          required: ['Sec-WebSocket-Protocol'],
        },
        bindingVersion: '0.1.0',
      },
    },
    'x-subprotocols': [STREAM_SUBPROTOCOL, `${SESSION_CREDENTIAL_PREFIX}*`],
    'x-close-codes': CLOSE_CODES,
    'x-error-codes': STREAM_ERRORS,
    'x-codeSamples': STREAM_SAMPLES,
  };
}

function operations(): Record<string, StreamOperation> {
  const receive = (name: string, title: string, reply?: string): StreamOperation => ({
    action: 'receive',
    title,
    summary: summaryOf(name),
    channel: CHANNEL,
    messages: [inChannel(name)],
    ...(reply === undefined ? {} : { reply: { channel: CHANNEL, messages: [inChannel(reply)] } }),
  });
  return {
    receiveConfig: receive('config', 'Configure the utterance', 'config_ack'),
    receiveAudio: receive('audio', 'Send audio'),
    receiveFlush: receive('flush', 'Finalize the utterance', 'final'),
    receiveReset: receive('reset', 'Drop the utterance', 'reset_ack'),
    receiveKeepalive: receive('keepalive', 'Restart the idle timeout'),
    sendEvents: {
      action: 'send',
      title: 'Events',
      summary:
        'Events from the server: zero or more `status`, one `ready`, then `delta`, `final`, acknowledgements and errors. With endpointing also `speech_started` and `speech_ended`.',
      channel: CHANNEL,
      messages: Object.keys(SERVER_MESSAGES).map(inChannel),
    },
  };
}

function messages(): Record<string, Message> {
  const texts = Object.keys(MESSAGES).map((name): [string, Message] => [
    name,
    {
      name,
      title: name,
      summary: summaryOf(name),
      contentType: 'application/json',
      payload: refTo(name),
      examples: (EXAMPLES[name] ?? []).map((payload, at) => ({ name: `${name}-${at + 1}`, payload })),
    },
  ]);
  const audio: Message = {
    name: 'audio',
    title: 'audio',
    summary: summaryOf('audio'),
    contentType: 'application/octet-stream',
    payload: {
      type: 'string',
      format: 'binary',
      maxLength: STREAM_LIMITS.maxFrameBytes,
      description:
        'At most 65,536 bytes of whole two-byte samples. Counted as accepted audio unless the server responds with an error.',
    },
  };
  return { audio, ...Object.fromEntries(texts) };
}

function summaryOf(name: string): string {
  if (name === 'audio') return 'A binary frame of PCM audio: 16,000 Hz, one channel, signed 16-bit, little endian.';
  const schema: { description?: string } | undefined = MESSAGES[name];
  return schema?.description ?? name;
}

function inChannel(name: string): Reference {
  return { $ref: `#/channels/stream/messages/${name}` };
}
