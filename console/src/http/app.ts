import type { Logger, Metrics } from '@svc-asr/runtime';
import express from 'express';
import type { Express } from 'express';
import { observe } from './observe.ts';

/** What both ports begin with: paths to the letter, and every request observed. */
export function createApp(logger: Logger, metrics: Metrics): Express {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.enable('case sensitive routing');
  app.enable('strict routing');
  app.set('query parser', 'simple');
  app.use(observe(logger, metrics));
  return app;
}
