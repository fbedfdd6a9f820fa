import type { CodeSample, Reference } from '../api/document.ts';
import type { JsonSchema } from '../api/json-schema.ts';
import type { CloseCode } from './close.ts';
import type { StreamError } from './errors.ts';

/** The part of AsyncAPI 3.0 that our document uses. */
export interface AsyncApiDocument {
  asyncapi: '3.0.0';
  info: { title: string; version: string; description: string };
  defaultContentType: 'application/json';
  servers: Record<string, { host: string; pathname?: string; protocol: string; description: string }>;
  channels: { stream: Channel };
  operations: Record<string, StreamOperation>;
  components: { messages: Record<string, Message>; schemas: Record<string, JsonSchema> };
}

export interface Channel {
  address: string;
  title: string;
  description: string;
  parameters: Record<string, { description: string; examples: string[] }>;
  messages: Record<string, Reference>;
  bindings: { ws: { method: 'GET'; headers: JsonSchema; bindingVersion: '0.1.0' } };
  'x-subprotocols': string[];
  'x-close-codes': Readonly<Record<number, CloseCode>>;
  'x-error-codes': Readonly<Record<string, StreamError>>;
  'x-codeSamples': CodeSample[];
}

/** What the service does, as AsyncAPI sees it: it receives what the client sends. */
export interface StreamOperation {
  action: 'send' | 'receive';
  title: string;
  summary: string;
  channel: Reference;
  messages: Reference[];
  reply?: { channel: Reference; messages: Reference[] };
}

export interface Message {
  name: string;
  title: string;
  summary: string;
  contentType: string;
  payload: JsonSchema;
  examples?: { name: string; payload: unknown }[];
}
