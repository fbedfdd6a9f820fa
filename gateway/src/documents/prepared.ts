import { createHash } from 'node:crypto';
import { brotliCompressSync, gzipSync } from 'node:zlib';

export const ENCODINGS = ['br', 'gzip', 'identity'] as const;
export type Encoding = (typeof ENCODINGS)[number];

/** A document in one content encoding. */
export interface Variant {
  body: Buffer;
  etag: string;
}

/** A document in all content encodings. It does not change while the process runs. */
export interface Prepared {
  contentType: string;
  variants: Readonly<Record<Encoding, Variant>>;
}

/** Compresses a document once, at the start of the gateway. */
export function prepare(contentType: string, text: string): Prepared {
  const whole = Buffer.from(text);
  // The hash covers the uncompressed text. Gateways with different compressor versions then send the same ETag.
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
