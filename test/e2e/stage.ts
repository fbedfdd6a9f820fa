import { join } from 'node:path';
import { attachCluster } from '../../tools/cluster/cluster.ts';
import type { Cluster } from '../../tools/cluster/cluster.ts';
import { createAdmin } from '../support/admin.ts';
import type { Admin } from '../support/admin.ts';
import { eventually } from '../support/eventually.ts';
import { RELEASE } from './release.ts';

export const NAMESPACE = 'asr';
export const CHART = join(import.meta.dirname, '../../charts/svc-asr');
/** The port of every node that leads to the gateway's Service. */
export const NODE_PORT = 30_443;
/** Pods are scheduled, started and warmed up on a machine that does everything else too. */
export const SOON_MS = 180_000;

/** The installation on the cluster, seen from outside of it. */
export interface Stage {
  cluster: Cluster;
  /** The API's address, which a port of this machine leads to. */
  baseUrl: string;
  kubectl: (args: readonly string[], input?: string) => Promise<string>;
  /** What an object says at a JSONPath. */
  read: (object: string, path: string) => Promise<string>;
  /** The authority of the gateway's certificate. */
  authority: () => Promise<string>;
  admin: () => Promise<Admin>;
  /** What a tool needs to speak to the admin API. */
  adminAccess: () => Promise<{ url: string; token: string }>;
  close: () => void;
}

function setting(name: string): string {
  const value = process.env[name];
  if (value === undefined) throw new Error(`${name} is not set: run these tests with \`npm run e2e\``);
  return value;
}

/** Takes the cluster that `npm run e2e` started, and opens the ways into it. */
export async function openStage(): Promise<Stage> {
  const cluster = await attachCluster({ name: setting('E2E_CLUSTER'), home: setting('E2E_HOME') });
  const port = Number(setting('E2E_PORT'));
  const gateway = await cluster.forward(cluster.address, NODE_PORT, port);
  const closers = [() => gateway.close()];
  const kubectl = (args: readonly string[], input?: string) => cluster.kubectl(['-n', NAMESPACE, ...args], input);
  const read = async (object: string, path: string) => kubectl(['get', object, '-o', `jsonpath={${path}}`]);
  const secret = async (name: string, key: string) => {
    return Buffer.from(
      await read(`secret/${name}`, `.data.${key.replaceAll('.', String.raw`\.`)}`),
      'base64',
    ).toString();
  };
  const adminAccess = async () => {
    const address = await read(`service/${RELEASE}-console-admin`, '.spec.clusterIP');
    const forward = await cluster.forward(address, 9090);
    closers.push(() => forward.close());
    const url = `http://127.0.0.1:${forward.port}`;
    // There is one console, and the rules that lead to a pod come a moment after it is ready.
    const lives = () =>
      fetch(`${url}/livez`).then(
        ({ ok }) => ok,
        () => false,
      );
    await eventually('the console answers', SOON_MS, lives);
    return { url, token: await secret(`${RELEASE}-admin-token`, 'token') };
  };
  return {
    cluster,
    baseUrl: `https://localhost:${port}`,
    kubectl,
    read,
    authority: () => secret(`${RELEASE}-gateway-tls`, 'ca.crt'),
    adminAccess,
    admin: async () => {
      const { url, token } = await adminAccess();
      return createAdmin(url, token);
    },
    close: () => {
      for (const close of closers) close();
    },
  };
}

/** Waits until an object says something at a JSONPath. */
export async function until(stage: Stage, object: string, path: string, wanted: string | RegExp): Promise<string> {
  let last = '';
  const fits = () => (typeof wanted === 'string' ? last === wanted : wanted.test(last));
  return eventually(`${object} ${path} ${String(wanted)}`, SOON_MS, async () => {
    last = await stage.read(object, path);
    return fits() && { last };
  }).then(
    () => last,
    async (error: unknown) => {
      const pods = await stage.kubectl(['get', 'pods,asrmodels,tenants', '-o', 'wide']);
      throw new Error(`${error instanceof Error ? error.message : String(error)}; it says "${last}"\n${pods}`);
    },
  );
}
