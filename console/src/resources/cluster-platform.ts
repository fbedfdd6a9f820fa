import { checkResource } from '@svc-asr/core';
import { listAll, TYPES } from '@svc-asr/kubernetes';
import type { KubeApi, KubeObject } from '@svc-asr/kubernetes';
import type { ModelDefinition, ModelEvent, Platform } from './platform.ts';

export interface ClusterOptions {
  api: Pick<KubeApi, 'get' | 'list'>;
  /** Number of objects per page of a list. */
  pageSize: number;
  /** Name of the Lease of the operators. */
  leaseName: string;
}

/** Largest number of events per model. */
const MAX_EVENTS = 20;

/** Reads models, their events and the Lease of the operators from the namespace of the console. */
export function createClusterPlatform({ api, pageSize, leaseName }: ClusterOptions): Platform {
  return {
    kind: 'cluster',
    models: async () => {
      const fieldSelector = `involvedObject.kind=${TYPES.ASRModel.kind}`;
      const [models, events] = await Promise.all([
        listAll(api, TYPES.ASRModel, { pageSize }),
        listAll(api, TYPES.Event, { pageSize, fieldSelector }),
      ]);
      return models.objects.flatMap((object) => readModel(object, events.objects));
    },
    lead: async () => {
      const spec = ((await api.get(TYPES.Lease, leaseName))?.spec ?? {}) as Readonly<Record<string, unknown>>;
      const { holderIdentity: holder, renewTime: renewedAt } = spec;
      return typeof holder === 'string' && holder !== '' && typeof renewedAt === 'string'
        ? { holder, renewedAt }
        : undefined;
    },
  };
}

/** Returns the model of an object. Empty if the object is not valid for this version of the console. */
function readModel(object: KubeObject, events: readonly KubeObject[]): ModelDefinition[] {
  const checked = checkResource(object);
  if (!checked.ok || checked.value.kind !== 'ASRModel') return [];
  const { name } = object.metadata;
  const own = events.filter((event) => (event.involvedObject as { name?: unknown } | undefined)?.name === name);
  const recent = own.map(readEvent).sort((a, b) => b.at.localeCompare(a.at));
  return [
    {
      resource: checked.value,
      conditions: checked.value.status?.conditions ?? [],
      events: recent.slice(0, MAX_EVENTS),
    },
  ];
}

function readEvent(event: KubeObject): ModelEvent {
  const text = (value: unknown) => (typeof value === 'string' ? value : '');
  return {
    at: text(event.lastTimestamp) || text(event.eventTime) || (event.metadata.creationTimestamp ?? ''),
    type: text(event.type),
    reason: text(event.reason),
    message: text(event.message),
    count: typeof event.count === 'number' ? event.count : 1,
  };
}
