import type { RequestHandler } from 'express';

const LOCALHOST = /(^|\.)localhost$/;
const YEAR_SECONDS = 31_536_000;

/**
 * Makes browsers use only TLS for the host of a request that arrived over TLS. The rule covers all ports of a host.
 * Responses from localhost do not contain the rule, because other programs on localhost use plain HTTP.
 */
export const requireTls: RequestHandler = (request, response, next) => {
  if (request.secure && !LOCALHOST.test(request.hostname)) {
    response.set('Strict-Transport-Security', `max-age=${YEAR_SECONDS}`);
  }
  next();
};
