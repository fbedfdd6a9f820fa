import type { RequestHandler } from 'express';
import { ApiError } from '@svc-asr/core';

/**
 * Refuses an HTTP/1.1 request without a Host header, and any request with an unknown Expect header. If Node refused
 * such a request itself, the response would have no error body.
 */
export const checkHeaders: RequestHandler = (request, _response, next) => {
  const { host, expect } = request.headers;
  if (host === undefined && request.httpVersion === '1.1') throw refuse('The header Host is missing.');
  if (expect !== undefined && expect.toLowerCase() !== '100-continue') {
    throw refuse('The header Expect may only be 100-continue.');
  }
  next();
};

function refuse(message: string): ApiError {
  return new ApiError('invalid_parameters', { message, headers: { Connection: 'close' } });
}
