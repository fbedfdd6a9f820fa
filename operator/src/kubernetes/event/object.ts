import { apiVersionOf, TYPES } from '@svc-asr/kubernetes';
import type { KubeObject } from '@svc-asr/kubernetes';
import type { Told } from './correlate.ts';

const COMPONENT = 'svc-asr-operator';
/** The API server takes no longer ones. */
const MAX_MESSAGE = 1024;

/** The event as the API server keeps it. */
export function buildEvent(told: Told, namespace: string, instance: string): KubeObject {
  const { object, type, reason, message, name, count, firstMs, atMs } = told;
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

/** What changes when it happens once more. */
export function buildCountPatch({ count, atMs, message }: Told): object {
  return { count, lastTimestamp: seconds(atMs), message: cut(message) };
}

/** An event's times are whole seconds. */
function seconds(ms: number): string {
  return new Date(ms).toISOString().replace(/\.\d+Z$/, 'Z');
}

function cut(message: string): string {
  return message.length <= MAX_MESSAGE ? message : `${message.slice(0, MAX_MESSAGE - 1)}…`;
}
