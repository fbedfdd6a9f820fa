import type { Header, Reference } from './document.ts';

/** The documented response headers. */
export const HEADERS = {
  'X-Request-Id': {
    description: 'Id of this request. Quote it when you ask for help.',
    required: true,
    schema: { type: 'string', format: 'uuid' },
    example: '0198f2c4-6d1e-7a52-9c0b-3f5d2e8a1b47',
  },
  'Retry-After': {
    description: 'Seconds to wait before you send the request again.',
    required: true,
    schema: { type: 'integer', minimum: 0 },
    example: 2,
  },
  RateLimit: {
    description:
      'Current rate limit status of the account: `r` requests are left, and the full limit is available again in `t` seconds. The format is that of draft-ietf-httpapi-ratelimit-headers-11. Absent if a request is refused before it is counted.',
    required: false,
    schema: { type: 'string' },
    example: '"requests";r=598;t=1, "sessions";r=59;t=1',
  },
  'RateLimit-Policy': {
    description: 'Rate limits of the account: `q` requests in a window of `w` seconds.',
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
    description: 'The authentication scheme.',
    required: true,
    schema: { type: 'string', const: 'Bearer' },
    example: 'Bearer',
  },
  Allow: {
    description: 'The methods that the path supports.',
    required: true,
    schema: { type: 'string' },
    example: 'POST',
  },
  ETag: {
    description: 'Version of the document. Send it in If-None-Match to receive 304 if the document has not changed.',
    required: true,
    schema: { type: 'string' },
    example: '"bWv3…"',
  },
} as const satisfies Record<string, Header>;

export type HeaderName = keyof typeof HEADERS;

/** Returns references to the named headers, for a response. */
export function headersOf(...names: readonly HeaderName[]): Record<string, Reference> {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}
