import { KubernetesError } from './kubernetes-error.ts';
import type { Cause } from './kubernetes-error.ts';

/** A complete response of the API server. */
export interface Answer {
  status: number;
  /** Value of the Retry-After header. */
  retryAfter: string | undefined;
  text: string;
}

/** Fields of a Kubernetes Status object that are read here. */
interface Status {
  kind?: unknown;
  code?: unknown;
  reason?: unknown;
  message?: unknown;
  details?: unknown;
}

/** Builds the error for a response whose status is not 2xx. `what` describes the request. */
export function buildKubernetesError(
  what: string,
  { status, retryAfter, text }: Answer,
  nowMs: number,
): KubernetesError {
  const { kind, reason, message, details } = parseStatus(text);
  // The API server responds without a Status object if the type is not installed.
  if (status === 404 && kind !== 'Status') {
    return new KubernetesError(404, 'UnknownType', `${what}: the API server does not know this type; install the CRDs`);
  }
  const retryAfterMs = parseRetryAfter(retryAfter, nowMs);
  const serverMessage = typeof message === 'string' && message !== '' ? message : text.slice(0, 200).trim();
  const name = typeof reason === 'string' && reason !== '' ? reason : `Http${status}`;
  return new KubernetesError(status, name, `${what}: ${serverMessage} (${status} ${name})`, {
    serverMessage,
    causes: readCauses(details),
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  });
}

/** Builds the error for a Status object that was received in a watch. */
export function buildWatchError(what: string, object: unknown): KubernetesError {
  const { code, reason, message } = (object ?? {}) as Status;
  const status = typeof code === 'number' ? code : 500;
  const name = typeof reason === 'string' && reason !== '' ? reason : `Http${status}`;
  return new KubernetesError(
    status,
    name,
    `${what}: ${typeof message === 'string' ? message : 'ended'} (${status} ${name})`,
  );
}

/**
 * Parses a Retry-After header, which contains seconds or a date. Returns the milliseconds to wait, or undefined for any
 * other value.
 */
export function parseRetryAfter(text: string | undefined, nowMs: number): number | undefined {
  if (text === undefined || text.trim() === '') return undefined;
  const seconds = Number(text);
  if (Number.isFinite(seconds) && seconds >= 0) return seconds * 1000;
  const atMs = Date.parse(text);
  return Number.isNaN(atMs) ? undefined : Math.max(0, atMs - nowMs);
}

function parseStatus(text: string): Status {
  try {
    const parsed: unknown = JSON.parse(text);
    return typeof parsed === 'object' && parsed !== null ? parsed : {};
  } catch {
    return {};
  }
}

function readCauses(details: unknown): Cause[] {
  const { causes } = (details ?? {}) as { causes?: unknown };
  if (!Array.isArray(causes)) return [];
  return causes.map((cause: { field?: unknown; message?: unknown } | null) => ({
    field: typeof cause?.field === 'string' ? cause.field : '',
    message: typeof cause?.message === 'string' ? cause.message : '',
  }));
}
