import type { RequestHandler } from 'express';
import { ApiError } from '@svc-asr/core';

/** Progress of the shutdown of this gateway. */
export interface Shutdown {
  /** True from the signal to stop on. /readyz then reports `draining`, so that load balancers send no new clients. */
  announced: boolean;
  /** True once DRAIN_DELAY_MS has passed. The gateway then accepts no new sessions and streams. */
  closed: boolean;
}

/**
 * Closes keep-alive connections once the shutdown is announced, because a load balancer can only move new connections.
 */
export function closeConnections(shutdown: Shutdown): RequestHandler {
  return (_request, response, next) => {
    if (shutdown.announced) response.setHeader('Connection', 'close');
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
