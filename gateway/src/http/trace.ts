/** The trace that a caller's `traceparent` (W3C Trace Context) names; undefined when there is none or it is not valid. */
export function traceIdOf(traceparent: string | string[] | undefined): string | undefined {
  if (typeof traceparent !== 'string') return undefined;
  const match = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}(-.*)?$/.exec(traceparent);
  if (match === null) return undefined;
  const [, version, traceId = '', parentId = '', more] = match;
  if (version === 'ff' || (version === '00' && more !== undefined)) return undefined;
  return /^0+$/.test(traceId) || /^0+$/.test(parentId) ? undefined : traceId;
}
