import type { RequestOptions } from 'node:https';
import { isDeepStrictEqual } from 'node:util';
import { KubeConfig } from '@kubernetes/client-node';

/** What a connection to the API server needs besides its address. */
export type TlsOptions = Pick<RequestOptions, 'ca' | 'cert' | 'key' | 'servername' | 'rejectUnauthorized'>;

/** How to reach the API server just now. */
export interface Access {
  server: URL;
  /** Secret: it says who we are. */
  headers: Readonly<Record<string, string>>;
  /** The same object for as long as it has the same content. */
  tls: TlsOptions;
  /** Where a proxy stands between. */
  proxy: RequestOptions['agent'];
}

/** Keeps the way to the API server open: certificates and tokens are read again as they rotate. */
export interface AccessKeeper {
  /** The namespace that the configuration names, if any. */
  namespace: string | undefined;
  current: () => Promise<Access>;
  /** We were not recognised: reads everything anew. False: that was just done, so there is no use in trying again. */
  renew: () => boolean;
}

/** Longer than a burst of requests, shorter than the life of any token. */
const FRESH_MS = 10_000;

/**
 * Reads the configuration of the client library: a kubeconfig (tokens, certificates, exec plugins), or what a pod has
 * when no path is given.
 */
export function createAccess(kubeconfig: string | undefined, nowMs: () => number): AccessKeeper {
  let config = load(kubeconfig);
  let known: { access: Promise<Access>; atMs: number } | undefined;
  let tls: TlsOptions = {};
  let renewedMs = -Infinity;

  async function read(): Promise<Access> {
    const server = config.getCurrentCluster()?.server;
    if (server === undefined) throw new Error('the kubeconfig has no current context with a cluster');
    const options: RequestOptions = {};
    // Tokens are read from their files, exec plugins are run.
    await config.applyToHTTPSOptions(options);
    const next = tlsOf(options);
    if (!isDeepStrictEqual(tls, next)) tls = next;
    const proxied = config.getCurrentCluster()?.proxyUrl !== undefined;
    return { server: new URL(server), headers: headersOf(options), tls, proxy: proxied ? options.agent : undefined };
  }

  return {
    namespace: config.getContextObject(config.getCurrentContext())?.namespace?.trim(),
    current: () => {
      if (known === undefined || nowMs() - known.atMs > FRESH_MS) {
        const begun = { access: read(), atMs: nowMs() };
        known = begun;
        begun.access.catch(() => {
          if (known === begun) known = undefined;
        });
      }
      return known.access;
    },
    renew: () => {
      if (nowMs() - renewedMs < FRESH_MS) return false;
      renewedMs = nowMs();
      config = load(kubeconfig);
      known = undefined;
      return true;
    },
  };
}

function load(kubeconfig: string | undefined): KubeConfig {
  const config = new KubeConfig();
  if (kubeconfig !== undefined) config.loadFromFile(kubeconfig);
  else if (process.env.KUBERNETES_SERVICE_HOST === undefined) {
    throw new Error('this is not a pod of a cluster (KUBERNETES_SERVICE_HOST is not set): name a kubeconfig instead');
  } else config.loadFromCluster();
  return config;
}

function tlsOf({ ca, cert, key, servername, rejectUnauthorized }: RequestOptions): TlsOptions {
  return {
    ...(ca !== undefined && { ca }),
    ...(cert !== undefined && { cert }),
    ...(key !== undefined && { key }),
    ...(servername !== undefined && { servername }),
    ...(rejectUnauthorized !== undefined && { rejectUnauthorized }),
  };
}

function headersOf({ headers, auth }: RequestOptions): Record<string, string> {
  const all: Record<string, string> = {};
  // Files of tokens may end with a newline, which no header may hold.
  for (const [name, value] of Object.entries(headers ?? {})) all[name] = String(value).trim();
  if (typeof auth === 'string') all.Authorization = `Basic ${Buffer.from(auth).toString('base64')}`;
  return all;
}
