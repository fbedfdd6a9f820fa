import { join } from 'node:path';
import type { CommandOptions } from '../../tools/cluster/command.ts';
import { createKubeTools } from '../../tools/cluster/kube-tools.ts';
import type { KubeTools } from '../../tools/cluster/kube-tools.ts';
import { ensureGoTools } from '../../tools/install/go-tools.ts';
import { createAdmin } from '../support/admin.ts';
import type { Admin } from '../support/admin.ts';
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
  /** URL and token of the admin API. Waits until it responds. */
  adminAccess: () => Promise<{ url: string; token: string }>;
}

/** Creates kubectl and helm for the cluster under test. */
export async function openTools(): Promise<KubeTools> {
  const programs = await ensureGoTools(['kubectl', 'helm']);
  return createKubeTools(readSetting('E2E_KUBECONFIG'), programs, readSetting('E2E_FOLDER'));
}

/** Creates the access to the installation. Its ports lead through the pod of access.ts. */
export async function openHarness(): Promise<Harness> {
  const tools = await openTools();
  const kubectl = (args: readonly string[], options?: CommandOptions) =>
    tools.kubectl(['-n', NAMESPACE, ...args], options);
  const read = (object: string, path: string) => kubectl(['get', object, '-o', `jsonpath={${path}}`]);
  const readSecret = async (name: string, key: string) => {
    const value = await read(`secret/${name}`, `.data.${key.replaceAll('.', String.raw`\.`)}`);
    return Buffer.from(value, 'base64').toString();
  };
  const adminAccess = async () => {
    const url = `http://127.0.0.1:${readSetting('E2E_ADMIN_PORT')}`;
    const isAlive = () =>
      fetch(`${url}/livez`).then(
        ({ ok }) => ok,
        () => false,
      );
    await eventually('the console responds', SOON_MS, isAlive);
    return { url, token: await readSecret(`${RELEASE}-admin-token`, 'token') };
  };
  return {
    tools,
    baseUrl: `https://localhost:${readSetting('E2E_PORT')}`,
    kubectl,
    read,
    readCa: () => readSecret(`${RELEASE}-gateway-tls`, 'ca.crt'),
    adminAccess,
    openAdmin: async () => {
      const { url, token } = await adminAccess();
      return createAdmin(url, token);
    },
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
