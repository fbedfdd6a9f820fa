import { join } from 'node:path';
import { startControlPlane } from './kubernetes/control-plane.ts';
import type { ControlPlane } from './kubernetes/control-plane.ts';

const CRDS = join(import.meta.dirname, '../../crds');

/**
 * Servers that are expensive to start. Each starts when a test file first asks for it, and ends at the latest with the
 * jest worker.
 */
export interface SharedServers {
  /** A Kubernetes API that serves our custom resources and has no controllers. */
  controlPlane: () => Promise<ControlPlane>;
  /** Ends the Kubernetes API, if it runs. */
  endControlPlane: () => Promise<void>;
}

declare global {
  var sharedServers: SharedServers;
}

/** Creates the object with the shared servers of a jest worker. Does not start any server. */
export function createSharedServers(): SharedServers {
  let controlPlane: Promise<ControlPlane> | undefined;
  return {
    controlPlane: () => (controlPlane ??= startSharedControlPlane()),
    endControlPlane: async () => {
      const running = controlPlane;
      controlPlane = undefined;
      const plane = await running?.catch(() => undefined);
      await plane?.stop();
    },
  };
}

async function startSharedControlPlane(): Promise<ControlPlane> {
  const crds = ['asrmodels', 'tenants', 'apikeys', 'members'].map((plural) => join(CRDS, `${plural}.yaml`));
  const plane = await startControlPlane({ crds });
  process.once('exit', plane.stopNow);
  return plane;
}
