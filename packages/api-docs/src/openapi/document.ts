import type { JsonSchema } from '../json-schema.ts';

/** The subset of OpenAPI 3.1 that the document uses. */
export interface OpenApiDocument {
  openapi: '3.1.1';
  info: { title: string; version: string; summary: string; description: string };
  servers: { url: string; description: string }[];
  tags: { name: string; description: string }[];
  paths: Record<string, PathItem>;
  components: {
    securitySchemes: Record<string, { type: 'http'; scheme: 'bearer'; bearerFormat: string; description: string }>;
    schemas: Record<string, JsonSchema>;
    headers: Record<string, Header>;
    responses: Record<string, Response>;
  };
}

export const METHODS = ['get', 'post', 'delete'] as const;
export type Method = (typeof METHODS)[number];
export type PathItem = Partial<Record<Method, Operation>>;

export interface Operation {
  operationId: string;
  tags: string[];
  summary: string;
  description: string;
  security: Record<string, string[]>[];
  parameters?: Parameter[];
  requestBody?: { required: boolean; description: string; content: Record<string, MediaType> };
  responses: Record<string, Response>;
  'x-codeSamples'?: CodeSample[];
}

export interface Parameter {
  name: string;
  in: 'header' | 'path' | 'query';
  required: boolean;
  description: string;
  schema: JsonSchema;
  example?: unknown;
}

export interface Response {
  description: string;
  headers?: Record<string, Reference>;
  content?: Record<string, MediaType>;
}

export interface MediaType {
  schema: JsonSchema;
  examples?: Record<string, Example>;
}

export interface Example {
  summary: string;
  description?: string;
  value: unknown;
}

export interface Header {
  description: string;
  required: boolean;
  schema: JsonSchema;
  example?: unknown;
}

export interface Reference {
  $ref: string;
}

/** Example code for an operation. Documentation tools such as Redoc show this extension. */
export interface CodeSample {
  lang: string;
  label: string;
  source: string;
}
