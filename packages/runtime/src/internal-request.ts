import { hash } from 'node:crypto';
import { equalTexts, sign } from './keyring.ts';
import type { Keyring } from './keyring.ts';

/** Path of the request by which the console creates a session for its playground. */
export const PLAYGROUND_SESSIONS_PATH = '/internal/v1/playground-sessions';

/** Maximum difference between the time of a signature and the clock of the service that verifies it. */
export const INTERNAL_REQUEST_WINDOW_MS = 30_000;

const SCHEME = 'Svc-Asr-Internal';
const HEADER = new RegExp(String.raw`^${SCHEME} ([\w-]{1,32})\.(\d{1,15})\.([\w-]{43})$`);

/** Parts of a request between two services that the signature covers. */
export interface InternalRequest {
  readonly method: string;
  readonly path: string;
  /** Value of the Idempotency-Key header. If the same request is sent twice, the second one has no further effect. */
  readonly idempotencyKey: string;
  readonly body: string | Uint8Array;
}

/** Returns the Authorization header for a request to another service. */
export function signInternalRequest(request: InternalRequest, peppers: Keyring, nowMs: number): string {
  const { current } = peppers;
  return `${SCHEME} ${current}.${nowMs}.${signatureOf(request, peppers, current, nowMs)}`;
}

/**
 * Returns whether a service that knows the peppers has signed the request, at most INTERNAL_REQUEST_WINDOW_MS before or
 * after `nowMs`.
 */
export function isSignedInternally(
  authorization: string | undefined,
  request: InternalRequest,
  peppers: Keyring,
  nowMs: number,
): boolean {
  const [, pepperId = '', time = '', signature = ''] = HEADER.exec(authorization ?? '') ?? [];
  const signedAtMs = Number(time);
  if (time === '' || Math.abs(nowMs - signedAtMs) > INTERNAL_REQUEST_WINDOW_MS) return false;
  const expected = signatureOf(request, peppers, pepperId, signedAtMs);
  return expected !== undefined && equalTexts(signature, expected);
}

/**
 * Signs a request. API keys, links and cookies use the same peppers. The prefix ensures that none of their hashes and
 * signatures is valid here.
 */
function signatureOf(
  { method, path, idempotencyKey, body }: InternalRequest,
  peppers: Keyring,
  pepperId: string,
  nowMs: number,
): string | undefined {
  const parts = ['internal-request', method, path, nowMs, idempotencyKey, hash('sha256', body, 'base64url')];
  return sign(peppers, pepperId, parts.join('\n'), 'base64url');
}
