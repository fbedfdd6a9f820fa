import { startRelay } from '../../testing/relay.ts';
import type { Relay } from '../../testing/relay.ts';

/** Stands between Kubernetes' controllers and the API server, and keeps news of some objects back for a while. */
export type DelayedWatch = Pick<Relay, 'kubeconfig' | 'stop'>;

/** Starts it: what comes of the watch of this plural comes so much later, as from a server that has much to do. */
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
