import { parseTraceparent } from '@svc-asr/runtime';

/** The trace that a caller's `traceparent` (W3C Trace Context) names; undefined when there is none or it is not valid. */
export function traceIdOf(traceparent: string | string[] | undefined): string | undefined {
  return parseTraceparent(traceparent)?.traceId;
}
