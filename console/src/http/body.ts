import { describeProblems } from '@svc-asr/core';
import type { Checked } from '@svc-asr/core';
import { raw } from 'express';
import type { Request, Response } from 'express';
import { ConsoleError } from '../errors.ts';

const UTF_8 = String.raw`\s*(;\s*charset\s*=\s*"?utf-8"?\s*)?$`;
const JSON_TYPE = new RegExp(String.raw`^application/json${UTF_8}`, 'i');
/** Type of RFC 7396 for merge patches. Clients may also send them as plain JSON. */
const MERGE_PATCH_TYPE = new RegExp(String.raw`^application/(merge-patch\+)?json${UTF_8}`, 'i');

type BodyReader = (request: Request, response: Response) => Promise<unknown>;

/** Creates a function that reads a request body as JSON. */
export function createJsonReader(limitBytes: number): BodyReader {
  return createReader(limitBytes, JSON_TYPE);
}

/** Creates a function that reads a merge patch. */
export function createMergePatchReader(limitBytes: number): BodyReader {
  return createReader(limitBytes, MERGE_PATCH_TYPE);
}

function createReader(limitBytes: number, type: RegExp): BodyReader {
  const readBytes = raw({ type: () => true, limit: limitBytes, inflate: false });
  return async (request, response) => {
    if (!type.test(request.headers['content-type'] ?? '')) throw new ConsoleError('unsupported_media_type');
    await new Promise<void>((resolve, reject) => {
      readBytes(request, response, (error?: unknown) => {
        if (error === undefined) resolve();
        else reject(error instanceof Error ? error : new Error('cannot read the request body'));
      });
    });
    return parseJson(request.body);
  };
}

function parseJson(bytes: unknown): unknown {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(Buffer.isBuffer(bytes) ? bytes : undefined);
    return JSON.parse(text) as unknown;
  } catch {
    // The message of the JSON parser is not passed on because it quotes the body.
    throw new ConsoleError('invalid_json');
  }
}

/** Returns the checked value, or throws an error that names every invalid field. */
export function valid<T>(checked: Checked<T>): T {
  if (checked.ok) return checked.value;
  throw new ConsoleError('invalid_parameters', { message: `${describeProblems(checked.problems)}.` });
}
