import { startRelay } from '../../testing/relay.ts';
import type { Relay } from '../../testing/relay.ts';

/** A proxy between the Kubernetes controllers and the API server that delays a watch. */
export type DelayedWatch = Pick<Relay, 'kubeconfig' | 'stop'>;

/** Starts the proxy. It delays all events of the watch on a resource, as a busy API server does. */
export async function startDelayedWatch(kubeconfig: string, plural: string, lateMs: number): Promise<DelayedWatch> {
  return startRelay(kubeconfig, {
    onRequest: (incoming, response, forward) => {
      const url = new URL(incoming.url ?? '', 'http://proxy');
      const isLate = url.pathname.endsWith(`/${plural}`) && url.searchParams.get('watch') === 'true';
      const later = (work: () => void) => (isLate ? void setTimeout(work, lateMs).unref() : work());
      forward((upstream) => {
        upstream.on('data', (chunk: Buffer) => later(() => response.write(chunk)));
        upstream.on('end', () => later(() => response.end()));
      });
    },
  });
}
