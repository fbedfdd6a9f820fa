import { KubernetesError } from '@svc-asr/kubernetes';
import { LedgerUnavailable } from '@svc-asr/ledger';
import type { Logger } from '@svc-asr/runtime';
import type { ErrorRequestHandler, RequestHandler } from 'express';
import { ConsoleError } from '../errors.ts';
import { explainKubernetesError } from './cluster-refusals.ts';
import { requestIdOf } from './observe.ts';

/** Seconds after which a request that Redis did not answer may be repeated. */
const RETRY_AFTER_S = '1';

/** Answers what no route took. */
export const notFound: RequestHandler = () => {
  throw new ConsoleError('not_found');
};

/** Answers the methods that a path does not take. */
export function methodNotAllowed(allow: string): RequestHandler {
  return () => {
    throw new ConsoleError('method_not_allowed', { headers: { Allow: allow } });
  };
}

/** What is said about files and the cluster is for administrators. */
const FOR_ADMINISTRATORS: readonly string[] = ['cluster_refused', 'unreadable_resource', 'read_only_resource'];

/** Writes every error in the one body form; to the public without what is for administrators. */
export function refuse(logger: Logger, audience: 'administrators' | 'public' = 'administrators'): ErrorRequestHandler {
  return (thrown: unknown, _request, response, next) => {
    const whole = translate(thrown);
    const isPlain = audience === 'administrators' || !FOR_ADMINISTRATORS.includes(whole.code);
    const error = isPlain ? whole : new ConsoleError(whole.code, { cause: whole });
    const requestId = requestIdOf(response);
    if (error.code === 'internal_error') logger.error({ err: thrown, request_id: requestId }, 'a request failed');
    // What the API server says of wrong fields quotes them, and is for whoever sent them alone.
    else if (thrown instanceof KubernetesError && error.code !== 'invalid_parameters') {
      logger.warn({ err: thrown, request_id: requestId, code: error.code }, 'the cluster did not do it');
    }
    if (response.headersSent) {
      // Half an answer is out: only a broken connection tells the reader that the rest is missing.
      next(thrown);
      return;
    }
    response.status(error.status).set(error.headers).json(error.body(requestId));
  };
}

function translate(thrown: unknown): ConsoleError {
  if (thrown instanceof ConsoleError) return thrown;
  if (thrown instanceof KubernetesError) return explainKubernetesError(thrown);
  if (thrown instanceof LedgerUnavailable) {
    return new ConsoleError('service_unavailable', { headers: { 'Retry-After': RETRY_AFTER_S }, cause: thrown });
  }
  const { type, status } = (thrown ?? {}) as { type?: unknown; status?: unknown };
  switch (type) {
    case 'entity.too.large':
      return new ConsoleError('request_too_large', { cause: thrown });
    case 'encoding.unsupported':
      return new ConsoleError('unsupported_media_type', { cause: thrown });
    default:
      // The router's and the body reader's other complaints: a path that cannot be decoded, a body cut short.
      return new ConsoleError(status === 400 ? 'invalid_parameters' : 'internal_error', { cause: thrown });
  }
}
