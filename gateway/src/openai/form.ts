import { Busboy } from '@fastify/busboy';
import type { BusboyHeaders, BusboyInstance } from '@fastify/busboy';
import type { Request } from 'express';
import { ApiError, FILE_LIMITS } from '@svc-asr/core';

/** A form with one file. */
export interface FileForm {
  readonly file: Buffer;
  /** Values by field name. A field that is sent several times has several values. */
  readonly fields: ReadonlyMap<string, readonly string[]>;
}

/** Maximum number and size of the fields that a client may send. Real clients send fewer than ten short fields. */
const MAX_FIELDS = 64;
const MAX_FIELD_BYTES = 16_384;

/**
 * Reads a multipart form that contains a file named `file`. Throws 415 for another content type, 413 if the file is too
 * large, and 400 if the form is invalid or has no file.
 */
export function readFileForm(request: Request): Promise<FileForm> {
  const type = request.headers['content-type'];
  if (
    type === undefined ||
    !/^multipart\/form-data\b/i.test(type) ||
    request.headers['content-encoding'] !== undefined
  ) {
    const message = 'Content-Type must be multipart/form-data, without content encoding.';
    return Promise.reject(new ApiError('unsupported_media_type', { message }));
  }
  return new Promise((resolve, reject) => {
    const fields = new Map<string, string[]>();
    let file: Buffer[] | undefined;
    let isTooLarge = false;
    let isSettled = false;
    const refuse = (message: string): void => {
      reject(new ApiError('invalid_parameters', { message }));
      // The rest of the body is read and discarded. A client that is still sending would otherwise not receive the
      // response.
      if (parser !== undefined) request.unpipe(parser);
      request.resume();
      file = undefined;
    };
    const parser = createParser(request, refuse);
    if (parser === undefined) return;
    parser.on('field', (name, value) => fields.set(name, [...(fields.get(name) ?? []), value]));
    parser.on('file', (name, stream) => {
      const chunks: Buffer[] = [];
      if (name === 'file') file = chunks;
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      // This error is ignored. If a form ends in the middle of its file, the parser reports the same error.
      stream.on('error', () => undefined);
      stream.on('limit', () => {
        isTooLarge = true;
        // The chunks are no longer needed. Their memory is released while the rest of the body is read and discarded.
        chunks.length = 0;
      });
    });
    parser.on('finish', () => {
      isSettled = true;
      if (isTooLarge) reject(new ApiError('request_too_large', { message: TOO_LARGE }));
      else if (file === undefined) refuse('The form needs the audio as the file "file".');
      else resolve({ file: Buffer.concat(file), fields });
    });
    parser.on('error', () => refuse(INVALID));
    // If a part has no headers, the parser stops without an event. For a valid form, the parser has emitted all events
    // before the next turn of the event loop. Every other form is refused in that turn.
    parser.on('prefinish', () => setImmediate(() => isSettled || refuse(INVALID)));
    for (const event of ['filesLimit', 'fieldsLimit', 'partsLimit'] as const) {
      parser.on(event, () => refuse('The form has too many parts.'));
    }
    request.on('close', () => {
      // The client has disconnected and receives no response, but the handlers of the request must still end.
      if (!request.complete) refuse('The body is not complete.');
    });
    request.pipe(parser);
  });
}

const INVALID = 'The body is not a valid multipart form.';
const TOO_LARGE = `The file is larger than ${FILE_LIMITS.maxBytes / 1_048_576} MiB.`;

function createParser(request: Request, refuse: (message: string) => void): BusboyInstance | undefined {
  try {
    return new Busboy({
      headers: request.headers as BusboyHeaders,
      limits: { files: 1, fileSize: FILE_LIMITS.maxBytes, fields: MAX_FIELDS, fieldSize: MAX_FIELD_BYTES },
    });
  } catch {
    refuse('The Content-Type of the form has no boundary.');
    return undefined;
  }
}
