import type { Header, Reference } from './document.ts';

/** Every response header that the API documents. */
export const HEADERS = {
  'X-Request-Id': {
    description: 'Id of this request. Keep it: support finds the request by it.',
    required: true,
    schema: { type: 'string', format: 'uuid' },
    example: '0198f2c4-6d1e-7a52-9c0b-3f5d2e8a1b47',
  },
  'Retry-After': {
    description: 'Whole seconds to wait before the request is sent again.',
    required: true,
    schema: { type: 'integer', minimum: 0 },
    example: 2,
  },
  RateLimit: {
    description:
      'How the rate limits of the account stand: `r` requests are left, the limit is whole again in `t` seconds. Form of draft-ietf-httpapi-ratelimit-headers-11. Missing where a request is refused before it is counted.',
    required: false,
    schema: { type: 'string' },
    example: '"requests";r=598;t=1, "sessions";r=59;t=1',
  },
  'RateLimit-Policy': {
    description: 'The rate limits of the account: `q` requests in a window of `w` seconds.',
    required: false,
    schema: { type: 'string' },
    example: '"requests";q=600;w=60, "sessions";q=60;w=60',
  },
  'Cache-Control': {
    description: '`no-store` on sessions, usage and errors; `public, max-age=300` on the documents.',
    required: true,
    schema: { type: 'string', enum: ['no-store', 'public, max-age=300'] },
    example: 'no-store',
  },
  'WWW-Authenticate': {
    description: 'How to authenticate.',
    required: true,
    schema: { type: 'string', const: 'Bearer' },
    example: 'Bearer',
  },
  Allow: {
    description: 'The methods that the path takes.',
    required: true,
    schema: { type: 'string' },
    example: 'POST',
  },
  ETag: {
    description: 'Version of the document; send it back as If-None-Match to get 304 while it holds.',
    required: true,
    schema: { type: 'string' },
    example: '"bWv3…"',
  },
} as const satisfies Record<string, Header>;

export type HeaderName = keyof typeof HEADERS;

/** The headers of a response, as references. */
export function headersOf(...names: readonly HeaderName[]): Record<string, Reference> {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}
