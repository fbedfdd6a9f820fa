import type { Request, RequestHandler } from 'express';
import { ApiError, MAX_BODY_BYTES } from '@svc-asr/core';
import { exchangeOf } from './exchange.ts';

const decoder = new TextDecoder('utf-8', { fatal: true });

/** Reads a JSON body: media type (415), then size (413), then JSON (400). */
export const jsonBody: RequestHandler = async (request, response, next) => {
  const { 'content-type': type, 'content-encoding': encoding, 'content-length': length } = request.headers;
  if (!isJson(type) || !isPlain(encoding)) throw refuseUnread('unsupported_media_type');
  if (Number(length ?? 0) > MAX_BODY_BYTES) throw refuseUnread('request_too_large');
  const bytes = await readBody(request);
  exchangeOf(response).waitsSinceMs = performance.now();
  try {
    request.body = JSON.parse(decoder.decode(bytes)) as unknown;
  } catch {
    throw new ApiError('invalid_json');
  }
  next();
};

/** The whole body, as long as it is within the limit; a body in chunks tells its length only as it comes. */
function readBody(request: Request): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size <= MAX_BODY_BYTES) chunks.push(chunk);
      else {
        request.pause();
        reject(refuseUnread('request_too_large'));
      }
    });
    request.on('end', () =>
      resolve(chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks)),
    );
    // Cut off: nobody is left to read the answer, the chain ends here all the same.
    const cut = () => {
      if (!request.complete) reject(new ApiError('invalid_json'));
    };
    request.on('error', cut);
    request.on('close', cut);
  });
}

/** The rest of the body is not read: the connection ends with the answer. */
function refuseUnread(code: 'unsupported_media_type' | 'request_too_large'): ApiError {
  return new ApiError(code, { headers: { Connection: 'close' } });
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
