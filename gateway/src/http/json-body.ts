import { isUtf8 } from 'node:buffer';
import type { Request, RequestHandler } from 'express';
import { ApiError, MAX_BODY_BYTES } from '@svc-asr/core';
import { exchangeOf } from './exchange.ts';

/** Whoever sends more than this does not care for an answer. */
const MAX_DROPPED_BYTES = 33_554_432;

/** Reads a JSON body: media type (415), then size (413), then JSON (400). */
export const jsonBody: RequestHandler = async (request, response, next) => {
  const { 'content-type': type, 'content-encoding': encoding } = request.headers;
  if (!isJson(type) || !isPlain(encoding)) throw new ApiError('unsupported_media_type');
  const bytes = await readBody(request);
  exchangeOf(response).waitingSinceMs = performance.now();
  if (!isUtf8(bytes)) throw new ApiError('invalid_json');
  const hasByteOrderMark = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
  try {
    request.body = JSON.parse(bytes.toString('utf8', hasByteOrderMark ? 3 : 0)) as unknown;
  } catch {
    throw new ApiError('invalid_json');
  }
  next();
};

/**
 * The whole body, as long as it is within the limit. A larger one is read to its end and dropped before it is refused: a
 * sender whose connection ends while it still sends would not see the answer.
 */
function readBody(request: Request): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size <= MAX_BODY_BYTES) chunks.push(chunk);
      else if (size > MAX_DROPPED_BYTES)
        reject(new ApiError('request_too_large', { headers: { Connection: 'close' } }));
    });
    request.on('end', () => {
      if (size > MAX_BODY_BYTES) reject(new ApiError('request_too_large'));
      else resolve(chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks));
    });
    // Cut off: nobody is left to read the answer, the chain ends here all the same.
    const rejectIncomplete = () => {
      if (!request.complete) reject(new ApiError('invalid_json'));
    };
    request.on('error', rejectIncomplete);
    request.on('close', rejectIncomplete);
  });
}

function isPlain(encoding: string | undefined): boolean {
  return encoding === undefined || encoding.trim().toLowerCase() === 'identity';
}

function isJson(contentType: string | undefined): boolean {
  if (contentType === 'application/json') return true;
  const [type, ...parameters] = (contentType ?? '').toLowerCase().split(';');
  if (type?.trim() !== 'application/json') return false;
  const charset = parameters.map((parameter) => parameter.trim()).find((parameter) => parameter.startsWith('charset='));
  return charset === undefined || ['utf-8', 'utf8'].includes(charset.slice(8).replaceAll('"', ''));
}
