import { join } from 'node:path';
import type { CommandOptions } from '../../tools/cluster/command.ts';
import { createKubeTools } from '../../tools/cluster/kube-tools.ts';
import type { KubeTools } from '../../tools/cluster/kube-tools.ts';
import { ensureGoTools } from '../../tools/install/go-tools.ts';
import { createAdmin } from '../support/admin.ts';
import type { Admin } from '../support/admin.ts';
import { send } from '../support/answer.ts';
import { eventually } from '../support/eventually.ts';
import { readSetting } from './environment.ts';
import { RELEASE } from './release.ts';

export const NAMESPACE = 'asr';
export const CHART = join(import.meta.dirname, '../../charts/svc-asr');
/** Time limit for scheduling, starting and warming up pods on a busy machine. */
export const SOON_MS = 180_000;

/** Access to the installation under test from outside the cluster. */
export interface Harness {
  tools: KubeTools;
  /** URL of the public API. */
  baseUrl: string;
  /** Runs kubectl in the namespace of the installation. */
  kubectl: (args: readonly string[], options?: CommandOptions) => Promise<string>;
  /** Returns the value of an object at a JSONPath. */
  read: (object: string, path: string) => Promise<string>;
  /** Returns the CA certificate of the gateway. */
  readCa: () => Promise<string>;
  openAdmin: () => Promise<Admin>;
  /** Waits until the admin API responds. Resolves with its URL, token and CA. */
  adminAccess: () => Promise<AdminAccess>;
}

export interface AdminAccess {
  url: string;
  token: string;
  /** CA certificate (PEM) for the URL. Undefined if the installed version serves the admin API over plain HTTP. */
  ca: string | undefined;
}

/** Installs kubectl and helm if needed, and returns functions that run them on the cluster under test. */
export async function openTools(): Promise<KubeTools> {
  const programs = await ensureGoTools(['kubectl', 'helm']);
  return createKubeTools(readSetting('E2E_KUBECONFIG'), programs, readSetting('E2E_FOLDER'));
}

/** Creates the access to the installation. Connections to its ports pass through the pod of access.ts. */
export async function openHarness(): Promise<Harness> {
  const tools = await openTools();
  const kubectl = (args: readonly string[], options?: CommandOptions) =>
    tools.kubectl(['-n', NAMESPACE, ...args], options);
  const read = (object: string, path: string) => kubectl(['get', object, '-o', `jsonpath={${path}}`]);
  const readSecret = async (name: string, key: string) => {
    const value = await read(`secret/${name}`, `.data.${key.replaceAll('.', String.raw`\.`)}`);
    return Buffer.from(value, 'base64').toString();
  };
  // The version that an upgrade starts from may have the admin API on the metrics port.
  const findAdminApi = async () => {
    const ports = await read(`service/${RELEASE}-console-admin`, '.spec.ports[*].name');
    if (!ports.split(' ').includes('admin-api')) {
      return { url: `http://127.0.0.1:${readSetting('E2E_PLAIN_ADMIN_PORT')}`, ca: undefined };
    }
    const ca = await readSecret(`${RELEASE}-admin-api-tls`, 'ca.crt');
    return { url: `https://localhost:${readSetting('E2E_ADMIN_PORT')}`, ca };
  };
  const adminAccess = async () => {
    const { url, ca } = await findAdminApi();
    const isAlive = () =>
      send(`${url}/`, { ...(ca !== undefined && { ca }) }).then(
        ({ status }) => status === 200,
        () => false,
      );
    await eventually('the admin API responds', SOON_MS, isAlive);
    return { url, ca, token: await readSecret(`${RELEASE}-admin-token`, 'token') };
  };
  return {
    tools,
    baseUrl: `https://localhost:${readSetting('E2E_PORT')}`,
    kubectl,
    read,
    readCa: () => readSecret(`${RELEASE}-gateway-tls`, 'ca.crt'),
    adminAccess,
    openAdmin: async () => {
      const { url, token, ca } = await adminAccess();
      return createAdmin(url, token, ca);
    },
  };
}

/** Returns a harness whose kubectl uses another namespace. */
export function within(harness: Harness, namespace: string): Harness {
  const kubectl: Harness['kubectl'] = (args, options) => harness.tools.kubectl(['-n', namespace, ...args], options);
  return {
    ...harness,
    kubectl,
    read: (object, path) => kubectl(['get', object, '-o', `jsonpath={${path}}`]),
  };
}

/** Waits until an object has a value at a JSONPath; resolves with the value. */
export async function until(harness: Harness, object: string, path: string, wanted: string | RegExp): Promise<string> {
  let last = '';
  const isWanted = () => (typeof wanted === 'string' ? last === wanted : wanted.test(last));
  return eventually(`${object} ${path} ${String(wanted)}`, SOON_MS, async () => {
    last = await harness.read(object, path);
    return isWanted() && { last };
  }).then(
    () => last,
    async (error: unknown) => {
      const objects = await harness.kubectl(['get', 'pods,asrmodels,tenants', '-o', 'wide']);
      throw new Error(`${error instanceof Error ? error.message : String(error)}; its value is "${last}"\n${objects}`);
    },
  );
}
