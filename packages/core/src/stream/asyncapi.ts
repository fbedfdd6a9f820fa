import type { TSchema } from 'typebox';
import type { DocumentOptions, Reference } from '../api/document.ts';
import { EXAMPLE_SESSION_ID } from '../api/examples.ts';
import { publishSchemas, refTo } from '../api/json-schema.ts';
import { CLIENT_MESSAGES } from './client.ts';
import { CLOSE_CODES } from './close.ts';
import type { AsyncApiDocument, Channel, Message, StreamOperation } from './document.ts';
import { STREAM_ERRORS } from './errors.ts';
import { CLIENT_EXAMPLES, SERVER_EXAMPLES } from './examples.ts';
import { streamOverview } from './guides/overview.ts';
import { streamSamples } from './guides/samples.ts';
import { SESSION_CREDENTIAL_PREFIX, STREAM_LIMITS, STREAM_SUBPROTOCOL, streamPath } from './limits.ts';
import { SERVER_MESSAGES, Word } from './server.ts';

const MESSAGES: Readonly<Record<string, TSchema>> = { ...CLIENT_MESSAGES, ...SERVER_MESSAGES };
const EXAMPLES: Readonly<Record<string, readonly unknown[]>> = { ...CLIENT_EXAMPLES, ...SERVER_EXAMPLES };
const CHANNEL: Reference = { $ref: '#/channels/stream' };

/** The AsyncAPI 3.0 document of the stream. */
export function buildAsyncApi({ version, publicUrl }: DocumentOptions): AsyncApiDocument {
  const { host, pathname, protocol } = new URL(publicUrl);
  return {
    asyncapi: '3.0.0',
    info: { title: 'svc-asr stream', version, description: streamOverview() },
    defaultContentType: 'application/json',
    servers: {
      service: {
        host,
        ...(pathname === '/' ? {} : { pathname }),
        protocol: protocol === 'http:' ? 'ws' : 'wss',
        description: 'This service.',
      },
    },
    channels: { stream: channel() },
    operations: operations(),
    components: { messages: messages(), schemas: publishSchemas({ ...MESSAGES, word: Word }, []) },
  };
}

function channel(): Channel {
  const protocols = `${STREAM_SUBPROTOCOL}, ${SESSION_CREDENTIAL_PREFIX}…`;
  return {
    address: streamPath('{id}'),
    title: 'Stream of a session',
    description:
      'Open it with `websocket_url` and `websocket_protocols` of the session that POST /v1/asr/sessions returned.',
    parameters: { id: { description: 'The session.', examples: [EXAMPLE_SESSION_ID] } },
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
              description: 'Both values of `websocket_protocols`, in their order. The second is a secret.',
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
    'x-codeSamples': streamSamples(),
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
    sendEvents: {
      action: 'send',
      title: 'Events',
      summary: 'What the server tells: zero or more `status`, one `ready`, then `delta`, `final`, answers and errors.',
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
        'At most 65,536 bytes, whole samples of two bytes. Counted as accepted audio unless it is answered by an error.',
    },
  };
  return { audio, ...Object.fromEntries(texts) };
}

function summaryOf(name: string): string {
  if (name === 'audio') return 'A binary frame of PCM audio: 16,000 Hz, one channel, signed 16 bit, little endian.';
  const schema = MESSAGES[name] as { description?: string } | undefined;
  return schema?.description ?? name;
}

function inChannel(name: string): Reference {
  return { $ref: `#/channels/stream/messages/${name}` };
}
