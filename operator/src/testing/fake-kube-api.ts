import { KubernetesError } from '@svc-asr/kubernetes';
import type { KubeApi, KubeObject, WatchEvent, WatchOptions } from '@svc-asr/kubernetes';

/** Objects of one type in memory, with the API that a reflector uses. */
export interface FakeKubeApi {
  api: Pick<KubeApi, 'list' | 'watch'>;
  put: (name: string, fields?: object) => void;
  remove: (name: string) => void;
  /** Expires all versions up to now, so that a watch from them fails with 410. */
  forget: () => void;
  /** Sends a bookmark to every open watch. */
  bookmark: () => void;
  /** Faults of the next requests. Each request takes the first one for its verb. */
  faults: Fault[];
  /** Ends the open watches, with an error if one is given. */
  cut: (error?: Error) => void;
  /** Stops sending events on the open watches, without ending them. */
  freeze: () => void;
  lists: () => number;
  watches: () => number;
  openWatches: () => number;
}

export type Fault = { on: 'list' | 'watch'; error: Error } | { on: 'watch'; events: WatchEvent[] };

interface Open {
  send: (event: WatchEvent) => void;
  end: (error?: Error) => void;
  frozen: boolean;
}

/** Creates a harness without objects. */
export function createFakeKubeApi(): FakeKubeApi {
  const objects = new Map<string, KubeObject>();
  let history: { version: number; event: WatchEvent }[] = [];
  let version = 0;
  let forgottenUntil = 0;
  const open = new Set<Open>();
  const faults: Fault[] = [];
  const counts = { list: 0, watch: 0 };

  const takeFault = (on: Fault['on']): Fault | undefined => {
    const at = faults.findIndex((fault) => fault.on === on);
    return at === -1 ? undefined : faults.splice(at, 1)[0];
  };
  const happen = (event: WatchEvent) => {
    history.push({ version, event });
    for (const watch of open) if (!watch.frozen) watch.send(event);
  };
  const expired = () => new KubernetesError(410, 'Expired', 'too old resource version');

  async function* watch(
    _type: unknown,
    { resourceVersion, signal, onBytes }: WatchOptions,
  ): AsyncGenerator<WatchEvent> {
    counts.watch += 1;
    await Promise.resolve();
    const fault = takeFault('watch');
    if (fault !== undefined && 'error' in fault) throw fault.error;
    if (Number(resourceVersion) < forgottenUntil) throw expired();
    const waiting = [...(fault?.events ?? [])];
    waiting.push(...history.filter((one) => one.version > Number(resourceVersion)).map(({ event }) => event));
    let wake: () => void = () => undefined;
    let ended: { error: Error | undefined } | undefined;
    const end = (error?: Error) => {
      ended ??= { error };
      wake();
    };
    const send = (event: WatchEvent) => {
      waiting.push(event);
      wake();
    };
    const one: Open = { frozen: false, end, send };
    open.add(one);
    signal.addEventListener('abort', () => end(signal.reason as Error), { once: true });
    onBytes();
    try {
      for (;;) {
        for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
          onBytes();
          yield next;
        }
        if (ended?.error !== undefined) throw ended.error;
        if (ended !== undefined) return;
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    } finally {
      open.delete(one);
    }
  }

  return {
    faults,
    api: {
      list: async (_type, { limit = 500, continue: token } = {}) => {
        counts.list += 1;
        await Promise.resolve();
        const fault = takeFault('list');
        if (fault !== undefined && 'error' in fault) throw fault.error;
        const [listed, from] = token === undefined ? [version, 0] : (token.split('/').map(Number) as [number, number]);
        if (listed < forgottenUntil) throw expired();
        const all = [...objects.values()];
        const next = from + limit;
        return {
          items: structuredClone(all.slice(from, next)),
          metadata: { resourceVersion: String(listed), ...(next < all.length && { continue: `${listed}/${next}` }) },
        };
      },
      watch,
    },
    put: (name, fields = {}) => {
      version += 1;
      const type = objects.has(name) ? 'MODIFIED' : 'ADDED';
      const uid = objects.get(name)?.metadata.uid ?? `uid-${version}`;
      const metadata = { name, uid, resourceVersion: String(version) };
      const object: KubeObject = { apiVersion: 'v1', kind: 'Pod', metadata, ...fields };
      objects.set(name, object);
      happen({ type, object: structuredClone(object) });
    },
    remove: (name) => {
      const object = objects.get(name);
      if (object === undefined) return;
      version += 1;
      objects.delete(name);
      const metadata = { ...object.metadata, resourceVersion: String(version) };
      happen({ type: 'DELETED', object: { ...object, metadata } });
    },
    forget: () => {
      version += 1;
      history = [];
      forgottenUntil = version;
    },
    bookmark: () => {
      const metadata = { name: '', resourceVersion: String(version) };
      for (const one of open)
        if (!one.frozen) one.send({ type: 'BOOKMARK', object: { apiVersion: '', kind: '', metadata } });
    },
    cut: (error) => {
      for (const one of open) one.end(error);
    },
    freeze: () => {
      for (const one of open) one.frozen = true;
    },
    lists: () => counts.list,
    watches: () => counts.watch,
    openWatches: () => open.size,
  };
}
