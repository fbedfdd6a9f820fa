import type { RequestHandler } from 'express';
import { ApiError } from '@svc-asr/core';

/** How far this gateway is on its way out. */
export interface Departure {
  /** It was told to stop, and tells the balancers so. */
  announced: boolean;
  /** The balancers had their time: nothing new is begun here any more. */
  closed: boolean;
}

/** Parts from clients that keep their connection: a balancer moves only new ones to another gateway. */
export function partWhenAnnounced(departure: Departure): RequestHandler {
  return (_request, response, next) => {
    if (departure.announced) response.setHeader('Connection', 'close');
    next();
  };
}

/**
 * Refuses what begins something new. Not while balancers are still being told: callers that know nothing of it come until
 * then, in every upgrade, and what they get here is as good as elsewhere, since any gateway takes the stream of a session.
 */
export function refuseWhenClosed(departure: Departure): RequestHandler {
  return (_request, _response, next) => {
    if (departure.closed) throw new ApiError('service_unavailable');
    next();
  };
}
