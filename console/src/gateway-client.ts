import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { request as requestHttps } from 'node:https';
import type { CreateSessionRequest } from '@svc-asr/core';
import { PLAYGROUND_SESSIONS_PATH, signInternalRequest } from '@svc-asr/runtime';
import type { Keyring, Logger } from '@svc-asr/runtime';
import { ConsoleError } from './errors.ts';
import type { ConsoleSettings } from './settings.ts';

/**
 * Time limit of a request to the gateway. By default, the gateway itself fails a request much earlier
 * (REQUEST_DEADLINE_MS).
 */
const TIMEOUT_MS = 10_000;
const RETRY_AFTER_S = '2';

/** Response of a gateway: a session or a refusal, in the form of the public API. */
export interface GatewayAnswer {
  readonly status: number;
  readonly retryAfter: string | undefined;
  /** JSON. It may contain the credential of a session, so it must not be logged. */
  readonly text: string;
}

/** Client of the internal port of the gateways. */
export interface GatewayClient {
  /**
   * Creates a session without an API key. Throws `gateway_unavailable` if no gateway responds, or if the gateway
   * rejects the signature of the console.
   */
  createSession: (tenant: string, session: CreateSessionRequest) => Promise<GatewayAnswer>;
}

/** Creates the client. Returns undefined if GATEWAY_INTERNAL_URL is empty. */
export function createGatewayClient(
  settings: Pick<ConsoleSettings, 'GATEWAY_INTERNAL_URL' | 'GATEWAY_INTERNAL_CA_FILE'>,
  { peppers, logger, now }: { peppers: Keyring; logger: Logger; now: () => number },
): GatewayClient | undefined {
  const { GATEWAY_INTERNAL_URL: base, GATEWAY_INTERNAL_CA_FILE: caFile } = settings;
  if (base === '') return undefined;
  const url = new URL(base + PLAYGROUND_SESSIONS_PATH);

  async function send(body: string): Promise<GatewayAnswer> {
    const signed = { method: 'POST', path: url.pathname, idempotencyKey: randomUUID(), body };
    const outgoing = requestHttps(url, {
      method: signed.method,
      headers: {
        'Content-Type': 'application/json',
        'Content-Length': Buffer.byteLength(body),
        'Idempotency-Key': signed.idempotencyKey,
        Authorization: signInternalRequest(signed, peppers, now()),
      },
      // Read for each request, so that a renewed CA needs no restart. Requests are rare.
      ...(caFile !== '' && { ca: readFileSync(caFile, 'utf8') }),
      // Each request uses a new connection, so that requests also reach gateways that were added later.
      agent: false,
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      outgoing.once('response', resolve);
      outgoing.on('error', reject);
      outgoing.end(body);
    });
    const chunks: Buffer[] = [];
    for await (const chunk of response) chunks.push(chunk as Buffer);
    const { statusCode = 0, headers } = response;
    return { status: statusCode, retryAfter: headers['retry-after'], text: Buffer.concat(chunks).toString('utf8') };
  }

  return {
    async createSession(tenant, session) {
      const answer = await send(JSON.stringify({ tenant, ...session })).catch((err: unknown) => {
        logger.warn({ err, reason: base }, 'the internal port of the gateway did not respond');
        throw unavailable(err);
      });
      if (answer.status !== 401) return answer;
      logger.error('the gateway rejected the signature of the console: check API_KEY_PEPPERS and the clocks of both');
      throw unavailable();
    },
  };
}

function unavailable(cause?: unknown): ConsoleError {
  return new ConsoleError('gateway_unavailable', { headers: { 'Retry-After': RETRY_AFTER_S }, cause });
}
