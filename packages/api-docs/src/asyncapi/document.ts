import type { CodeSample, Reference } from '../openapi/document.ts';
import type { JsonSchema } from '../json-schema.ts';
import type { CloseCode, StreamError } from '@svc-asr/core';

/** The subset of AsyncAPI 3.0 that the document uses. */
export interface AsyncApiDocument {
  asyncapi: '3.0.0';
  info: { title: string; version: string; description: string };
  defaultContentType: 'application/json';
  servers: Record<string, { host: string; pathname?: string; protocol: string; description: string }>;
  channels: { stream: StreamChannel; realtime: Channel };
  operations: Record<string, StreamOperation>;
  components: { messages: Record<string, Message>; schemas: Record<string, JsonSchema> };
}

export interface Channel {
  address: string;
  title: string;
  description: string;
  parameters?: Record<string, { description: string; examples: string[] }>;
  messages: Record<string, Reference>;
  bindings: { ws: { method: 'GET'; headers: JsonSchema; query?: JsonSchema; bindingVersion: '0.1.0' } };
}

export interface StreamChannel extends Channel {
  'x-subprotocols': string[];
  'x-close-codes': Readonly<Record<number, CloseCode>>;
  'x-error-codes': Readonly<Record<string, StreamError>>;
  'x-codeSamples': CodeSample[];
}

/** An operation from the point of view of the service. With `receive`, the service receives messages of the client. */
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
