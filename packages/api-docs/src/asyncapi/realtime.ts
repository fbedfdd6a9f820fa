import type { TSchema } from 'typebox';
import { REALTIME_CLIENT_EVENTS, REALTIME_PATH, REALTIME_SERVER_EVENTS } from '@svc-asr/core';
import { EXAMPLE_MODEL } from '../openapi/examples.ts';
import { refTo } from '../json-schema.ts';
import type { Reference } from '../openapi/document.ts';
import type { Channel, Message, StreamOperation } from './document.ts';
import { REALTIME_EXAMPLES } from './realtime-examples.ts';

const EVENTS: Readonly<Record<string, TSchema>> = { ...REALTIME_CLIENT_EVENTS, ...REALTIME_SERVER_EVENTS };
const CHANNEL: Reference = { $ref: '#/channels/realtime' };
/**
 * Returns the name of an event in the document. The prefix is needed, because the event `error` has the same type as a
 * message of the stream.
 */
const nameOf = (type: string) => `realtime.${type}`;

/** Schemas of the events by their names in the document. */
export const REALTIME_SCHEMAS: Readonly<Record<string, TSchema>> = Object.fromEntries(
  Object.entries(EVENTS).map(([type, schema]) => [nameOf(type), schema]),
);

/** Builds the channel of realtime connections. */
export function realtimeChannel(): Channel {
  return {
    address: REALTIME_PATH,
    title: 'Realtime connection',
    description: "Events of OpenAI's realtime transcription. The API key is sent as `Authorization: Bearer <API_KEY>`.",
    messages: Object.fromEntries(
      Object.keys(EVENTS).map((type) => [nameOf(type), { $ref: `#/components/messages/${nameOf(type)}` }]),
    ),
    bindings: {
      ws: {
        method: 'GET',
        headers: {
          type: 'object',
          properties: { Authorization: { type: 'string', description: '`Bearer` and the API key.' } },
          required: ['Authorization'],
        },
        query: {
          type: 'object',
          properties: {
            intent: { type: 'string', enum: ['transcription'] },
            model: { type: 'string', description: 'Id of a model.', examples: [EXAMPLE_MODEL] },
          },
          required: ['intent'],
        },
        bindingVersion: '0.1.0',
      },
    },
  };
}

/** Builds the operations of realtime connections, from the point of view of the service. */
export function realtimeOperations(): Record<string, StreamOperation> {
  const inChannel = (type: string): Reference => ({ $ref: `#/channels/realtime/messages/${nameOf(type)}` });
  const operation = (action: 'send' | 'receive', types: readonly string[], title: string, summary: string) => ({
    action,
    title,
    summary,
    channel: CHANNEL,
    messages: types.map(inChannel),
  });
  return {
    receiveRealtimeEvents: operation(
      'receive',
      Object.keys(REALTIME_CLIENT_EVENTS),
      'Realtime events of the client',
      'Configuration, audio, and ends of turns.',
    ),
    sendRealtimeEvents: operation(
      'send',
      Object.keys(REALTIME_SERVER_EVENTS),
      'Realtime events of the server',
      'First `session.created`, then turns with their transcripts, and answers to events of the client.',
    ),
  };
}

/** Builds the messages of realtime connections. */
export function realtimeMessages(): Record<string, Message> {
  return Object.fromEntries(
    Object.entries(EVENTS).map(([type, schema]) => {
      const { description = type }: { description?: string } = schema;
      const examples = [{ name: `${nameOf(type)}-1`, payload: REALTIME_EXAMPLES[type] }];
      const payload = refTo(nameOf(type));
      const message = {
        name: type,
        title: type,
        summary: description,
        contentType: 'application/json',
        payload,
        examples,
      };
      return [nameOf(type), message];
    }),
  );
}
