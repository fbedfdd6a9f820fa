import type { RequestHandler } from 'express';
import { ApiError } from '@svc-asr/core';
import type { ConnectionAge } from '../server/connection-age.ts';

/** Progress of the shutdown of this gateway. */
export interface Shutdown {
  /**
   * True after the gateway has received the signal to stop. /readyz then reports `draining`, so that load balancers
   * send no new clients.
   */
  announced: boolean;
  /** True once DRAIN_DELAY_MS has passed after the signal. The gateway then accepts no new sessions and streams. */
  closed: boolean;
}

/**
 * Closes keep-alive connections after their next response if they are too old, or if the shutdown was announced. A load
 * balancer can send a client to another gateway only when the client opens a new connection.
 */
export function closeConnections(shutdown: Shutdown, age: ConnectionAge): RequestHandler {
  return (request, response, next) => {
    if (age.isExceeded(request) || shutdown.announced) response.setHeader('Connection', 'close');
    next();
  };
}

/**
 * Refuses requests for new sessions once the shutdown is `closed`, but not when it is only `announced`. Clients keep
 * arriving until load balancers have reacted. A session that is created in that time is not lost, because any other
 * gateway can serve its stream.
 */
export function refuseNewSessions(shutdown: Shutdown): RequestHandler {
  return (_request, _response, next) => {
    if (shutdown.closed) throw new ApiError('service_unavailable');
    next();
  };
}
