import { KubernetesError } from '@svc-asr/kubernetes';
import type { KubeObject } from '@svc-asr/kubernetes';
import type { ElectorOptions } from '../kubernetes/leader.ts';
import type { Clock } from '../queue/clock.ts';

/** One Lease in memory. Each elector has its own connection to it, which can be slow or broken. */
export interface FakeLease {
  lease: () => KubeObject | undefined;
  writes: () => number;
  connect: () => LeaseConnection;
}

export interface LeaseConnection {
  api: ElectorOptions['api'];
  /**
   * With `refuse`, requests fail before they arrive. With `lose`, requests arrive, but their responses are lost. With
   * `slow`, requests and responses are delayed by SLOW_MS.
   */
  fault: 'none' | 'refuse' | 'lose' | 'slow';
}

/** Delays of a slow request, on the way to the API server and back. */
const SLOW_MS = { there: 2500, back: 1400 };

/** Creates the API of a namespace that has no Lease yet. */
export function createFakeLease(clock: Clock): FakeLease {
  let lease: KubeObject | undefined;
  let version = 0;
  let writes = 0;
  const conflict = () => new KubernetesError(409, 'Conflict', 'the object has been modified');
  const take = (ms: number) =>
    ms === 0 ? Promise.resolve() : new Promise<void>((resolve) => void clock.after(ms, resolve));
  const write = (object: KubeObject) => {
    writes += 1;
    version += 1;
    lease = { ...object, metadata: { ...object.metadata, resourceVersion: String(version) } };
    return structuredClone(lease);
  };
  return {
    lease: () => lease,
    writes: () => writes,
    connect: () => {
      const line: LeaseConnection = {
        fault: 'none',
        api: {
          get: () => pass(() => structuredClone(lease)),
          create: (_type, object) =>
            pass(() => {
              if (lease !== undefined) throw conflict();
              return write(object);
            }),
          replace: (_type, object) =>
            pass(() => {
              if (lease?.metadata.resourceVersion !== object.metadata.resourceVersion) throw conflict();
              return write(object);
            }),
        },
      };
      async function pass<T>(arrive: () => T): Promise<T> {
        const { fault } = line;
        await take(fault === 'slow' ? SLOW_MS.there : 0);
        if (fault === 'refuse') throw new KubernetesError(0, 'ECONNREFUSED', 'refused');
        const result = arrive();
        await take(fault === 'slow' ? SLOW_MS.back : 0);
        if (fault === 'lose') throw new KubernetesError(0, 'ECONNRESET', 'lost');
        return result;
      }
      return line;
    },
  };
}
