import { KubernetesError } from '@svc-asr/kubernetes';
import { LedgerUnavailable } from '@svc-asr/ledger';
import type { Logger } from '@svc-asr/runtime';
import type { ErrorRequestHandler, RequestHandler } from 'express';
import { ConsoleError } from '../errors.ts';
import { explainKubernetesError } from './kubernetes-errors.ts';
import { requestIdOf } from './observe.ts';

/** Retry-After in seconds if Redis did not answer. */
const RETRY_AFTER_S = '1';

/** Responds to paths that no route matches. */
export const notFound: RequestHandler = () => {
  throw new ConsoleError('not_found');
};

/** Responds to methods that a path does not support. */
export function methodNotAllowed(allow: string): RequestHandler {
  return () => {
    throw new ConsoleError('method_not_allowed', { headers: { Allow: allow } });
  };
}

/** Errors whose messages describe files or the cluster. Only administrators may see these messages. */
const FOR_ADMINISTRATORS: readonly string[] = ['cluster_refused', 'unreadable_resource', 'read_only_resource'];

/**
 * Creates the handler that sends every error in the common body form. The public gets default messages for errors that
 * concern administrators only.
 */
export function handleError(
  logger: Logger,
  audience: 'administrators' | 'public' = 'administrators',
): ErrorRequestHandler {
  return (thrown: unknown, _request, response, next) => {
    const whole = translate(thrown);
    const isPlain = audience === 'administrators' || !FOR_ADMINISTRATORS.includes(whole.code);
    const error = isPlain ? whole : new ConsoleError(whole.code, { cause: whole });
    const requestId = requestIdOf(response);
    if (error.code === 'internal_error') logger.error({ err: thrown, request_id: requestId }, 'request failed');
    // The API server quotes invalid fields. Only the sender may see them, so they are not logged.
    else if (thrown instanceof KubernetesError && error.code !== 'invalid_parameters') {
      logger.warn({ err: thrown, request_id: requestId, code: error.code }, 'the Kubernetes API rejected a request');
    }
    if (response.headersSent) {
      // Part of the response was sent already. Closing the connection is the only way to show that it is incomplete.
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
      // The status 400 comes from the router or the body parser: a path that cannot be decoded, or a truncated body.
      return new ConsoleError(status === 400 ? 'invalid_parameters' : 'internal_error', { cause: thrown });
  }
}
