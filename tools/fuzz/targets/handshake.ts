import { ApiError, SESSION_CREDENTIAL_PREFIX, STREAM_SUBPROTOCOL, streamPath } from '@svc-asr/core';
import { parseTraceparent } from '@svc-asr/runtime';
import { readOffer } from '../../../gateway/src/stream/handshake/handshake.ts';
import { check } from '../engine/target.ts';
import type { FuzzTarget } from '../engine/target.ts';
import { readRequest } from './http-request.ts';

const ID = '0b7c5a0e-3f52-4d0c-9d5c-1a2b3c4d5e6f';

export const target: FuzzTarget = {
  property: 'readOffer throws only ApiError with a status of a client error, and returns an offer of the right form.',
  seeds: [
    [
      `GET ${streamPath(ID)} HTTP/1.1`,
      'upgrade: websocket',
      'sec-websocket-version: 13',
      'sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==',
      `sec-websocket-protocol: ${STREAM_SUBPROTOCOL}, ${SESSION_CREDENTIAL_PREFIX}czE6`,
      'traceparent: 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
    ].join('\n'),
  ],
  dictionary: [STREAM_SUBPROTOCOL, SESSION_CREDENTIAL_PREFIX, ', ', '?', '%2f', '//', '\u00a0', '\t', 'upgrade: '],
  maxBytes: 2048,
  run: (input) => {
    const request = readRequest(input);
    parseTraceparent(request.headers.traceparent);
    try {
      const { sessionId, credential } = readOffer(request);
      check(/^[0-9a-f-]{36}$/.test(sessionId), 'the session id is not a UUID');
      check(/^[!#$%&'*+.^`|~\w-]+$/.test(credential), 'the credential is not a token, so ws would refuse it');
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      check(error.status >= 400 && error.status < 500, `the status is ${error.status}`);
    }
  },
};
