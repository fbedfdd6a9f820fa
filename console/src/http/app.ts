import type { Logger, Metrics } from '@svc-asr/runtime';
import express from 'express';
import type { Express } from 'express';
import { observe } from './observe.ts';
import { requireTls } from './require-tls.ts';

/**
 * Creates an Express app with the settings that both APIs share: strict, case-sensitive paths, and logs and metrics
 * for every request.
 */
export function createApp(logger: Logger, metrics: Metrics): Express {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.enable('case sensitive routing');
  app.enable('strict routing');
  app.set('query parser', 'simple');
  app.use(observe(logger, metrics));
  app.use(requireTls);
  return app;
}
