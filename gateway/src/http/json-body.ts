import { isUtf8 } from 'node:buffer';
import type { Request, RequestHandler, Response } from 'express';
import { ApiError, MAX_BODY_BYTES } from '@svc-asr/core';
import { exchangeOf } from './exchange.ts';

/** Size above which a body is refused before all of it was read. The connection is then closed. */
const MAX_DROPPED_BYTES = 33_554_432;

/** Reads a JSON body. Checks the media type (415), then the size (413), then the syntax (400). */
export const jsonBody: RequestHandler = async (request, response, next) => {
  request.body = (await readJson(request, response)).value;
  next();
};

/** Reads a JSON body. Returns its value and its bytes. */
export async function readJson(request: Request, response: Response): Promise<{ value: unknown; bytes: Buffer }> {
  const { 'content-type': type, 'content-encoding': encoding } = request.headers;
  if (!isJson(type) || !isPlain(encoding)) throw new ApiError('unsupported_media_type');
  const bytes = await readBody(request);
  exchangeOf(response).waitingSinceMs = performance.now();
  if (!isUtf8(bytes)) throw new ApiError('invalid_json');
  const hasByteOrderMark = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
  try {
    return { value: JSON.parse(bytes.toString('utf8', hasByteOrderMark ? 3 : 0)) as unknown, bytes };
  } catch {
    throw new ApiError('invalid_json');
  }
}

/**
 * Reads a body up to the size limit. A larger body is refused only after it was read to its end and discarded, or after
 * MAX_DROPPED_BYTES. A client whose connection closes while it is still sending would not receive the response.
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
    // The client has disconnected and receives no response, but the handlers of the request must still end.
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
