import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startServer } from './server.ts';
import type { Place, Server } from './server.ts';

/** Starts kube-scheduler, which binds pods to nodes with enough capacity. */
export async function startScheduler(command: string, kubeconfig: string, place: Place): Promise<Server> {
  const config = join(place.folder, 'kube-scheduler.json');
  writeFileSync(
    config,
    JSON.stringify({
      apiVersion: 'kubescheduler.config.k8s.io/v1',
      kind: 'KubeSchedulerConfiguration',
      // The default of 50 requests per second protects large clusters and only slows the tests down.
      clientConnection: { kubeconfig, qps: 500, burst: 1000 },
      leaderElection: { leaderElect: false },
    }),
  );
  return startServer(
    {
      name: 'kube-scheduler',
      command,
      args: [`--config=${config}`, '--secure-port=0'],
      // No check can show when the scheduler is ready. The scheduler serves no port here and has no visible effect
      // before the first pod.
      isReady: () => Promise.resolve(true),
    },
    place,
  );
}
