import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startServer } from './server.ts';
import type { Place, Server } from './server.ts';

/** Starts kube-scheduler, which puts pods on nodes that have room for them. */
export async function startScheduler(command: string, kubeconfig: string, place: Place): Promise<Server> {
  const config = join(place.folder, 'kube-scheduler.json');
  writeFileSync(
    config,
    JSON.stringify({
      apiVersion: 'kubescheduler.config.k8s.io/v1',
      kind: 'KubeSchedulerConfiguration',
      // The default of 50 requests per second is what a big cluster needs to be spared from.
      clientConnection: { kubeconfig, qps: 500, burst: 1000 },
      leaderElection: { leaderElect: false },
    }),
  );
  return startServer(
    {
      name: 'kube-scheduler',
      command,
      args: [`--config=${config}`, '--secure-port=0'],
      // It serves nothing to ask it by, and leaves no trace before the first pod, which waits for it.
      isReady: () => Promise.resolve(true),
    },
    place,
  );
}
