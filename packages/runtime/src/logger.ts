import { isMainThread } from 'node:worker_threads';
import { pino } from 'pino';
import type { DestinationStream, Logger } from 'pino';
import { redact } from './redact.ts';

export type { Logger } from 'pino';

/** Names of the fields that services log. docs/logs.md is generated from them. */
export const LOG_FIELDS = {
  service: 'name of the service',
  request_id: 'the X-Request-Id of the HTTP request',
  trace_id: 'trace id from the traceparent header of the request',
  session_id: 'id of the session',
  tenant: 'name of the Tenant resource',
  model: 'name of the ASRModel resource',
  worker: 'id of the worker',
  key_id: 'public id of an API key',
  actor: 'administrator or developer who changed or viewed something, as in the audit log',
  action: 'what the actor did, such as tenant.put',
  detail: 'further facts about the action',
  code: 'code of an error from the error catalogue, or outcome of an operation, such as completed',
  status: 'HTTP status',
  method: 'HTTP method',
  route: 'route that handled the request, never the raw path',
  duration_ms: 'duration of the operation',
  resource: 'kind and name of a resource, such as Tenant/acme, or a list of them',
  file: 'file or folder that the message is about',
  problems: 'validation errors by field',
  reason: 'reason of the event, or a name or value that the message is about',
  amount: 'number that the message is about, such as items, bytes or credit',
  err: 'error with its stack, without secrets',
} as const;

export type LogLevel = 'debug' | 'info' | 'warn' | 'error' | 'silent';

/** Destination of each logger, and the name of its service. */
const sinks = new WeakMap<Logger, { sink: DestinationStream; service: string }>();

/** Creates a JSON logger that redacts secrets in every line, except the lines of `logQuickly`. */
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
 * Logs a line at a tenth of the usual cost, for code that runs very often. `fields` is JSON text. It may contain only
 * ids, constants and numbers, which need no escaping and are not secret.
 */
export function logQuickly(logger: Logger, fields: string, message: string): void {
  const target = sinks.get(logger);
  if (target === undefined || !logger.isLevelEnabled('info')) return;
  const { sink, service } = target;
  sink.write(`{"level":"info","time":"${isoNow()}","service":"${service}",${fields},"message":"${message}"}\n`);
}

let nowMs = 0;
let nowText = '';

/** Returns the current time as ISO 8601. The text is built at most once per millisecond. */
function isoNow(): string {
  const now = Date.now();
  if (now !== nowMs) {
    nowMs = now;
    nowText = new Date(now).toISOString();
  }
  return nowText;
}

/**
 * Size and time after which buffered lines are written. Lines are buffered, because a write per line would cost more
 * than the line itself. They are also written when the process ends. Only the main thread buffers. Buffered lines of
 * other threads could be mixed with each other, or be lost when the process ends.
 */
const GATHER_BYTES = 4096;
const GATHER_MS = 100;

function standardOutput(): DestinationStream {
  const sink = pino.destination({ fd: 1, sync: true, minLength: isMainThread ? GATHER_BYTES : 0 });
  setInterval(() => sink.flush(), GATHER_MS).unref();
  process.on('exit', () => sink.flushSync());
  return sink;
}
