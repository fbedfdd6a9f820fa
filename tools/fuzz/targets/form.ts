import { Readable } from 'node:stream';
import type { Request } from 'express';
import { ApiError } from '@svc-asr/core';
import { readFileForm } from '../../../gateway/src/openai/form.ts';
import { readParameters } from '../../../gateway/src/openai/parameters.ts';
import { check } from '../engine/target.ts';
import type { FuzzTarget } from '../engine/target.ts';

/** Creates a request. Its Content-Type is the first line of the input, and its body is the rest of the input. */
function createRequest(input: Buffer): Request {
  const end = input.indexOf('\n');
  const type = input.toString('latin1', 0, Math.max(0, end));
  const body = input.subarray(end + 1);
  const stream = Readable.from([body.subarray(0, body.length >> 1), body.subarray(body.length >> 1)]);
  return Object.assign(stream, { headers: { 'content-type': type }, complete: true }) as unknown as Request;
}

const part = (head: string, body: string) => `--b\r\nContent-Disposition: form-data; ${head}\r\n\r\n${body}\r\n`;

export const target: FuzzTarget = {
  property: 'The parser of forms settles, and rejects only with an ApiError of a client error.',
  seeds: [
    `multipart/form-data; boundary=b\n${part('name="model"', 'm')}${part('name="file"; filename="a.wav"', 'RIFF')}--b--\r\n`,
    `multipart/form-data; boundary=b\n${part('name="response_format"', 'vtt')}${part('name="stream"', 'true')}--b--\r\n`,
    'multipart/form-data\n--b--',
  ],
  dictionary: ['--b', '--b--', '\r\n', 'filename=', "filename*=utf-8''", 'name="file"', 'boundary=', '; ', 'charset='],
  maxBytes: 4096,
  run: async (input) => {
    try {
      const form = await readFileForm(createRequest(input));
      check(form.file.length <= input.length, 'the file is larger than the body');
      readParameters(form);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      check(error.status >= 400 && error.status < 500, `the status is ${error.status}`);
    }
  },
};
