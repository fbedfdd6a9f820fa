import { apiVersionOf, TYPES } from '@svc-asr/kubernetes';
import type { KubeObject } from '@svc-asr/kubernetes';
import type { CorrelatedEvent } from './correlate.ts';

const COMPONENT = 'svc-asr-operator';
/** Maximum length of the message of an event. The API server rejects longer messages. */
const MAX_MESSAGE = 1024;

export function buildEvent(event: CorrelatedEvent, namespace: string, instance: string): KubeObject {
  const { object, type, reason, message, name, count, firstMs, atMs } = event;
  const { uid, resourceVersion } = object.metadata;
  return {
    apiVersion: apiVersionOf(TYPES.Event),
    kind: TYPES.Event.kind,
    metadata: { name, namespace },
    involvedObject: {
      apiVersion: object.apiVersion,
      kind: object.kind,
      name: object.metadata.name,
      namespace,
      ...(uid !== undefined && { uid }),
      ...(resourceVersion !== undefined && { resourceVersion }),
    },
    type,
    reason,
    message: cut(message),
    count,
    firstTimestamp: seconds(firstMs),
    lastTimestamp: seconds(atMs),
    source: { component: COMPONENT },
    reportingComponent: COMPONENT,
    reportingInstance: instance,
  };
}

/** Builds the patch that counts a further occurrence of an existing event. */
export function buildCountPatch({ count, atMs, message }: CorrelatedEvent): object {
  return { count, lastTimestamp: seconds(atMs), message: cut(message) };
}

/** Formats a time as an RFC 3339 timestamp without milliseconds. */
function seconds(ms: number): string {
  return new Date(ms).toISOString().replace(/\.\d+Z$/, 'Z');
}

function cut(message: string): string {
  return message.length <= MAX_MESSAGE ? message : `${message.slice(0, MAX_MESSAGE - 1)}…`;
}
