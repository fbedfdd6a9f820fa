import type { RequestHandler } from 'express';
import { ApiError } from '@svc-asr/core';
import type { ConnectionAge } from '../server/connection-age.ts';

/** Progress of the shutdown of this gateway. */
export interface Shutdown {
  /** True from the signal to stop on. /readyz then reports `draining`, so that load balancers send no new clients. */
  announced: boolean;
  /** True once DRAIN_DELAY_MS has passed. The gateway then accepts no new sessions and streams. */
  closed: boolean;
}

/**
 * Closes keep-alive connections after their next response if they are too old or the shutdown is announced. A load
 * balancer can only move new connections.
 */
export function closeConnections(shutdown: Shutdown, age: ConnectionAge): RequestHandler {
  return (request, response, next) => {
    if (age.isExceeded(request) || shutdown.announced) response.setHeader('Connection', 'close');
    next();
  };
}

/**
 * Refuses requests for new sessions once the shutdown is closed, not as soon as it is announced. Clients keep arriving
 * until load balancers have reacted, and any other gateway can take the stream of a session that was created here.
 */
export function refuseNewSessions(shutdown: Shutdown): RequestHandler {
  return (_request, _response, next) => {
    if (shutdown.closed) throw new ApiError('service_unavailable');
    next();
  };
}
