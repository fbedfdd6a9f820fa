import { createHash } from 'node:crypto';
import { brotliCompressSync, gzipSync } from 'node:zlib';

export const ENCODINGS = ['br', 'gzip', 'identity'] as const;
export type Encoding = (typeof ENCODINGS)[number];

/** One form of a document, ready to be sent. */
export interface Variant {
  body: Buffer;
  etag: string;
}

/** A document that never changes while the process runs, in every encoding: phones pay for each byte. */
export interface Prepared {
  contentType: string;
  variants: Readonly<Record<Encoding, Variant>>;
}

/** Encodes a document once, so that a request costs nothing but sending. */
export function prepare(contentType: string, text: string): Prepared {
  const whole = Buffer.from(text);
  // The hash is of the text, not of what a compressor of some version makes of it: all gateways agree on it.
  const hash = createHash('sha256').update(whole).digest('base64url').slice(0, 22);
  const variant = (body: Buffer, encoding: Encoding): Variant => ({ body, etag: `"${hash}-${encoding}"` });
  return {
    contentType,
    variants: {
      br: variant(brotliCompressSync(whole), 'br'),
      gzip: variant(gzipSync(whole), 'gzip'),
      identity: variant(whole, 'identity'),
    },
  };
}
