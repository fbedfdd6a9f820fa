import { ERRORS } from '@svc-asr/core';
import type { ErrorCode } from '@svc-asr/core';
import type { Ledger, Refusal } from '@svc-asr/ledger';
import { createAttemptLimiter, redact } from '@svc-asr/runtime';
import type { GatewayMetrics } from '../metrics.ts';

/**
 * Number of refusals of one tenant that a gateway can record in a burst. After the burst, it records one refusal every
 * three seconds.
 */
const PER_MINUTE = 20;
/** Maximum number of refusals of all tenants together that wait to be written. */
const MAX_WAITING = 1000;
const WRITE_AFTER_MS = 1000;
const MAX_MESSAGE_CHARACTERS = 300;
/** Pattern of the model names that are stored with a refusal. */
const MODEL = /^[\w.:-]{1,128}$/;

/** A refused request whose tenant is known. Its API key may have been revoked or have expired. */
export interface RefusedRequest {
  readonly tenant: string;
  readonly keyId: string | undefined;
  readonly requestId: string;
  readonly method: string;
  readonly route: string;
  readonly status: number;
  readonly code: string;
  readonly message: string | undefined;
  readonly model: string | undefined;
}

export interface RefusalLogOptions {
  ledger: Pick<Ledger, 'refusals' | 'now'>;
  metrics: Pick<GatewayMetrics, 'refusalsDropped'>;
}

/**
 * Records refused requests for the console. This never delays a request. Refusals wait in memory for up to a second and
 * are written in one command per tenant. Refusals over the limits are dropped. While Redis is unavailable, all refusals
 * are dropped.
 */
export class RefusalLog {
  readonly #options: RefusalLogOptions;
  readonly #limiter = createAttemptLimiter(PER_MINUTE, 60_000);
  readonly #waiting = new Map<string, Refusal[]>();
  #count = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: RefusalLogOptions) {
    this.#options = options;
  }

  record(request: RefusedRequest): void {
    const { tenant } = request;
    const nowMs = performance.now();
    if (this.#count >= MAX_WAITING) {
      this.#drop('gateway_limit', 1);
    } else if (this.#limiter.waitMs(tenant, nowMs) > 0) {
      this.#drop('tenant_limit', 1);
    } else {
      this.#limiter.fail(tenant, nowMs);
      const refusals = this.#waiting.get(tenant) ?? [];
      refusals.push(refusalOf(request, this.#options.ledger.now()));
      this.#waiting.set(tenant, refusals);
      this.#count++;
      this.#timer ??= setTimeout(() => void this.write(), WRITE_AFTER_MS).unref();
    }
  }

  /** Writes the waiting refusals to Redis. Never rejects. */
  async write(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const groups = [...this.#waiting];
    this.#waiting.clear();
    this.#count = 0;
    const { refusals } = this.#options.ledger;
    await Promise.all(
      groups.map(([tenant, group]) =>
        refusals.add(tenant, group).catch(() => this.#drop('redis_unavailable', group.length)),
      ),
    );
  }

  #drop(reason: string, count: number): void {
    this.#options.metrics.refusalsDropped.add(count, { reason });
  }
}

function refusalOf(request: RefusedRequest, atMs: number): Refusal {
  const { keyId = null, requestId, method, route, status, code, message, model = '' } = request;
  return {
    atMs: Math.round(atMs),
    requestId,
    method,
    path: route,
    status,
    code,
    message: message === undefined || isDefault(code, message) ? undefined : textOf(message),
    keyId,
    model: isStorable(model) ? model : null,
  };
}

/** Returns true if the model may be stored. Clients can send any text as the model, even an API key by mistake. */
function isStorable(model: string): boolean {
  return MODEL.test(model) && redact(model) === model;
}

function isDefault(code: string, message: string): boolean {
  return code in ERRORS && ERRORS[code as ErrorCode].message === message;
}

/** Returns one line of text. A message may quote field names and values of the request, so secrets are redacted. */
function textOf(message: string): string {
  return redact(message).replaceAll(/\s+/g, ' ').slice(0, MAX_MESSAGE_CHARACTERS);
}
