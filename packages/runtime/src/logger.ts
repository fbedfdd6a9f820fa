import { pino } from 'pino';
import type { DestinationStream, Logger } from 'pino';
import { redact } from './redact.ts';

export type { Logger } from 'pino';

/** Field names that every service uses; a reader of logs finds them in docs/logs.md. */
export const LOG_FIELDS = {
  service: 'which program wrote the line',
  request_id: 'the X-Request-Id of the HTTP request',
  trace_id: 'the trace that the caller named in traceparent; that of a session is its id without hyphens',
  session_id: 'the session',
  tenant: 'name of the Tenant resource',
  model: 'name of the ASRModel resource',
  worker: 'id of a worker process',
  key_id: 'public id of an API key',
  code: 'stable code of an error or a close',
  status: 'HTTP status',
  method: 'HTTP method',
  route: 'the route that took the request, never the raw path',
  duration_ms: 'how long it took',
  resource: 'Kind/name of a resource',
  file: 'file of the configuration',
  problems: 'what is wrong with it, by field',
  reason: 'why something was done',
  amount: 'how many',
  err: 'the error, redacted',
} as const;

export type LogLevel = 'debug' | 'info' | 'warn' | 'error' | 'silent';

/** Where a logger's lines go, and how each of them begins. */
const sinks = new WeakMap<Logger, { sink: DestinationStream; service: string }>();

/** A JSON logger whose every line has passed the redaction of secrets. */
export function createLogger(service: string, level: LogLevel, destination?: DestinationStream): Logger {
  const sink = destination ?? standardOutput();
  const redacting: DestinationStream = { write: (line) => sink.write(redact(line)) };
  const logger = pino(
    {
      level,
      base: { service },
      timestamp: () => `,"time":"${isoNow()}"`,
      formatters: { level: (label) => ({ level: label }) },
      messageKey: 'message',
    },
    redacting,
  );
  sinks.set(logger, { sink, service });
  return logger;
}

/**
 * Logs a line of the hot path at a tenth of the usual cost: `fields` is JSON text, made of ids, constants and numbers that
 * need no escaping and cannot hold a secret.
 */
export function logQuickly(logger: Logger, fields: string, message: string): void {
  const target = sinks.get(logger);
  if (target === undefined || !logger.isLevelEnabled('info')) return;
  const { sink, service } = target;
  sink.write(`{"level":"info","time":"${isoNow()}","service":"${service}",${fields},"message":"${message}"}\n`);
}

let nowMs = 0;
let nowText = '';

/** The present time; made anew once a millisecond. */
function isoNow(): string {
  const now = Date.now();
  if (now !== nowMs) {
    nowMs = now;
    nowText = new Date(now).toISOString();
  }
  return nowText;
}

/** Lines are gathered for a moment, since a write for each costs more than the line; none is lost when the process ends. */
const GATHER_BYTES = 4096;
const GATHER_MS = 100;

function standardOutput(): DestinationStream {
  const sink = pino.destination({ fd: 1, sync: true, minLength: GATHER_BYTES });
  setInterval(() => sink.flush(), GATHER_MS).unref();
  process.on('exit', () => sink.flushSync());
  return sink;
}
