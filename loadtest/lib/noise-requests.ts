import { check } from 'k6';
import { get, post } from 'k6/http';
import type { Response } from 'k6/http';
import { generateApiKey } from '../../packages/core/src/apikey.ts';
import { noiseAnswers, sessions } from './metrics.ts';
import type { NoiseKind } from './noise.ts';
import type { Caller } from './plan.ts';
import { plan } from './plan-file.ts';
import { sessionOf } from './session.ts';
import type { Session } from './session.ts';
import { NOISE_CHECK } from './thresholds.ts';

/** One request out of this number has a body that is larger than the service accepts. */
const OVERSIZED_EVERY = 100;
const OVERSIZED_BODY = JSON.stringify({ model: 'x'.repeat(65_536) });
const SESSION_SECONDS = 300;
/**
 * Statuses of responses to requests that do not exceed the request rate. 400 is not among them, because no request is
 * malformed.
 */
const WITHIN_RATE = [201, 413, 503];

/** Requests a session. Returns the session if the service has created it. */
export function sendCreate({ key }: Caller, number: number): Session | undefined {
  const body = JSON.stringify({ model: plan.model, max_audio_seconds: SESSION_SECONDS });
  const response = createWith(key, number % OVERSIZED_EVERY === 0 ? OVERSIZED_BODY : body);
  const isConcurrency = response.status === 429 && (response.body ?? '').includes('concurrency_limit_exceeded');
  count('request', WITHIN_RATE.includes(response.status) || isConcurrency);
  checkAnswer(response, [...WITHIN_RATE, 429]);
  if (response.status !== 201 || response.body === null) return undefined;
  sessions.add(1, { role: 'noisy' });
  return sessionOf(response.body);
}

/** Sends an API key that does not exist. Its checksum is valid, so that the service must look it up. */
export function sendWrongKey(): void {
  const { key } = generateApiKey((length) => Uint8Array.from({ length }, () => Math.floor(256 * Math.random())));
  const response = createWith(key, '{}');
  count('key', false);
  checkAnswer(response, [401, 429]);
}

/** Requests a stream with a wrong credential, or with a credential that was already used. */
export function sendHandshake(used?: Session): void {
  const id = used?.id ?? '00000000-0000-4000-8000-000000000000';
  const origin = plan.streamOrigin === '' ? plan.baseUrl : plan.streamOrigin.replace(/^ws/, 'http');
  // The answer to a refused handshake is a plain HTTP response. A plain request therefore suffices, and costs k6 less
  // than a WebSocket.
  const response = get(`${origin}/v1/asr/sessions/${id}/stream`, {
    headers: {
      connection: 'Upgrade',
      upgrade: 'websocket',
      'sec-websocket-version': '13',
      'sec-websocket-key': 'AAAAAAAAAAAAAAAAAAAAAA==',
      'sec-websocket-protocol': (used?.protocols ?? ['svc.realtime.v1', 'svc.auth.AAAA']).join(', '),
    },
    tags: { name: 'noise', role: 'noisy' },
    timeout: '30s',
  });
  count('handshake', response.status === 101);
  checkAnswer(response, [401, 429]);
}

function createWith(key: string, body: string): Response {
  return post(`${plan.baseUrl}/v1/asr/sessions`, body, {
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    tags: { name: 'noise', role: 'noisy' },
    timeout: '30s',
  });
}

function count(kind: NoiseKind, isAccepted: boolean): void {
  noiseAnswers.add(1, { kind, answer: isAccepted ? 'accepted' : 'refused' });
}

/** Counts requests that were not sent, because the service had not answered earlier ones. */
export function countDelayed(kind: NoiseKind, delayed: number): void {
  noiseAnswers.add(delayed, { kind, answer: 'delayed' });
}

/**
 * Result of the next call of `takeWaitedMs`. Each virtual user has its own value, because k6 loads this file for each
 * of them.
 */
let waitedMs = 0;

/** Returns how long this virtual user has waited for answers since the last call of this function. */
export function takeWaitedMs(): number {
  const taken = waitedMs;
  waitedMs = 0;
  return taken;
}

/** Checks that the service answers noise with one of these statuses, and sends Retry-After with each 429 and 503. */
function checkAnswer({ status, headers, timings }: Response, statuses: readonly number[]): void {
  waitedMs += timings.waiting;
  const needsRetryAfter = status === 429 || status === 503;
  const isAllowed = statuses.includes(status) && (!needsRetryAfter || headers['Retry-After'] !== undefined);
  if (!check(null, { [NOISE_CHECK]: isAllowed })) console.error(`noise was answered with ${status}`);
}
