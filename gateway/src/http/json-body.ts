import express from 'express';
import type { RequestHandler } from 'express';
import { ApiError, MAX_BODY_BYTES } from '@svc-asr/core';

const readBody = express.raw({ limit: MAX_BODY_BYTES, type: () => true, inflate: false });
const decoder = new TextDecoder('utf-8', { fatal: true });

/** Reads a JSON body: media type (415), then size (413), then JSON (400). */
export const jsonBody: RequestHandler = (request, response, next) => {
  if (!isJson(request.headers['content-type']) || !isPlain(request.headers['content-encoding'])) {
    throw refuseUnread('unsupported_media_type');
  }
  readBody(request, response, (error?: unknown) => {
    if (error !== undefined) {
      const { type } = error as { type?: string };
      // An upload that was cut off or lied about its length has nobody to answer, or no more than bad JSON.
      next(type === 'entity.too.large' ? refuseUnread('request_too_large') : new ApiError('invalid_json'));
      return;
    }
    try {
      request.body = JSON.parse(decoder.decode(request.body as Uint8Array));
    } catch {
      next(new ApiError('invalid_json'));
      return;
    }
    next();
  });
};

/** The rest of the body is not read: the connection ends with the answer. */
function refuseUnread(code: 'unsupported_media_type' | 'request_too_large'): ApiError {
  return new ApiError(code, { headers: { Connection: 'close' } });
}

function isPlain(encoding: string | undefined): boolean {
  return encoding === undefined || encoding.trim().toLowerCase() === 'identity';
}

function isJson(contentType: string | undefined): boolean {
  const [type, ...parameters] = (contentType ?? '').toLowerCase().split(';');
  if (type?.trim() !== 'application/json') return false;
  const charset = parameters.map((parameter) => parameter.trim()).find((parameter) => parameter.startsWith('charset='));
  return charset === undefined || ['utf-8', 'utf8'].includes(charset.slice(8).replaceAll('"', ''));
}
