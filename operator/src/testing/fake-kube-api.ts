import { KubernetesError } from '@svc-asr/kubernetes';
import type { KubeApi, KubeList, KubeObject, ListOptions, WatchEvent, WatchOptions } from '@svc-asr/kubernetes';

export type Fault = { on: 'list' | 'watch'; error: Error } | { on: 'watch'; events: WatchEvent[] };

/** A watch that a client has opened. */
class OpenWatch {
  /** True if the client receives no further events. */
  frozen = false;
  readonly #pending: WatchEvent[];
  #ended: { error: Error | undefined } | undefined;
  #wake: () => void = () => undefined;

  constructor(events: WatchEvent[]) {
    this.#pending = events;
  }

  send(event: WatchEvent): void {
    if (this.frozen) return;
    this.#pending.push(event);
    this.#wake();
  }

  end(error?: Error): void {
    this.#ended ??= { error };
    this.#wake();
  }

  /** Yields the events until the watch is ended. Throws the error with which it is ended. */
  async *events(): AsyncGenerator<WatchEvent> {
    for (;;) {
      for (let next = this.#pending.shift(); next !== undefined; next = this.#pending.shift()) yield next;
      if (this.#ended?.error !== undefined) throw this.#ended.error;
      if (this.#ended !== undefined) return;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }
}

/** Objects of one type in memory, with the API that a reflector uses. */
export class FakeKubeApi {
  readonly api: Pick<KubeApi, 'list' | 'watch'> = {
    list: (_type, options) => this.#list(options),
    watch: (_type, options) => this.#watch(options),
  };
  /** Faults of the next requests. Each request takes the first fault that is meant for its verb. */
  readonly faults: Fault[] = [];
  readonly #objects = new Map<string, KubeObject>();
  readonly #open = new Set<OpenWatch>();
  readonly #counts = { list: 0, watch: 0 };
  #history: { version: number; event: WatchEvent }[] = [];
  #version = 0;
  #forgottenUntil = 0;

  put(name: string, fields: object = {}): void {
    this.#version += 1;
    const before = this.#objects.get(name);
    const uid = before?.metadata.uid ?? `uid-${this.#version}`;
    const metadata = { name, uid, resourceVersion: String(this.#version) };
    const object: KubeObject = { apiVersion: 'v1', kind: 'Pod', metadata, ...fields };
    this.#objects.set(name, object);
    this.#publish({ type: before === undefined ? 'ADDED' : 'MODIFIED', object: structuredClone(object) });
  }

  remove(name: string): void {
    const object = this.#objects.get(name);
    if (object === undefined) return;
    this.#version += 1;
    this.#objects.delete(name);
    const metadata = { ...object.metadata, resourceVersion: String(this.#version) };
    this.#publish({ type: 'DELETED', object: { ...object, metadata } });
  }

  /** Expires all versions up to now. A watch that starts from an expired version fails with status 410. */
  forget(): void {
    this.#version += 1;
    this.#history = [];
    this.#forgottenUntil = this.#version;
  }

  /** Sends a bookmark to every open watch. */
  bookmark(): void {
    const metadata = { name: '', resourceVersion: String(this.#version) };
    for (const watch of this.#open) watch.send({ type: 'BOOKMARK', object: { apiVersion: '', kind: '', metadata } });
  }

  /** Ends the open watches, with an error if one is given. */
  cut(error?: Error): void {
    for (const watch of this.#open) watch.end(error);
  }

  /** Stops sending events on the open watches, without ending them. */
  freeze(): void {
    for (const watch of this.#open) watch.frozen = true;
  }

  lists(): number {
    return this.#counts.list;
  }

  watches(): number {
    return this.#counts.watch;
  }

  openWatches(): number {
    return this.#open.size;
  }

  #publish(event: WatchEvent): void {
    this.#history.push({ version: this.#version, event });
    for (const watch of this.#open) watch.send(event);
  }

  async #list({ limit = 500, continue: token }: ListOptions = {}): Promise<KubeList> {
    this.#counts.list += 1;
    await Promise.resolve();
    const fault = this.#takeFault('list');
    if (fault !== undefined && 'error' in fault) throw fault.error;
    const [listed, from] =
      token === undefined ? [this.#version, 0] : (token.split('/').map(Number) as [number, number]);
    this.#checkVersion(listed);
    const all = [...this.#objects.values()];
    const next = from + limit;
    return {
      items: structuredClone(all.slice(from, next)),
      metadata: { resourceVersion: String(listed), ...(next < all.length && { continue: `${listed}/${next}` }) },
    };
  }

  async *#watch({ resourceVersion, signal, onBytes }: WatchOptions): AsyncGenerator<WatchEvent> {
    this.#counts.watch += 1;
    await Promise.resolve();
    const fault = this.#takeFault('watch');
    if (fault !== undefined && 'error' in fault) throw fault.error;
    this.#checkVersion(Number(resourceVersion));
    const missed = this.#history.filter(({ version }) => version > Number(resourceVersion)).map(({ event }) => event);
    const watch = new OpenWatch([...(fault?.events ?? []), ...missed]);
    this.#open.add(watch);
    signal.addEventListener('abort', () => watch.end(signal.reason as Error), { once: true });
    onBytes();
    try {
      for await (const event of watch.events()) {
        onBytes();
        yield event;
      }
    } finally {
      this.#open.delete(watch);
    }
  }

  #takeFault(on: Fault['on']): Fault | undefined {
    const at = this.faults.findIndex((fault) => fault.on === on);
    return at === -1 ? undefined : this.faults.splice(at, 1)[0];
  }

  #checkVersion(version: number): void {
    if (version < this.#forgottenUntil) throw new KubernetesError(410, 'Expired', 'too old resource version');
  }
}
