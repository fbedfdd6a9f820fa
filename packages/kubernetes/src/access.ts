import type { RequestOptions } from 'node:https';
import { isDeepStrictEqual } from 'node:util';
import { KubeConfig } from '@kubernetes/client-node';

/** TLS options of a connection to the API server. */
export type TlsOptions = Pick<RequestOptions, 'ca' | 'cert' | 'key' | 'servername' | 'rejectUnauthorized'>;

/** Address of the API server, and the current credentials and TLS options for it. */
export interface Access {
  server: URL;
  /** Authentication headers. They contain secrets. */
  headers: Readonly<Record<string, string>>;
  /** TLS options. It is the same object as long as its content is unchanged. */
  tls: TlsOptions;
  /** Agent of the proxy in front of the API server, if there is one. */
  proxy: RequestOptions['agent'];
}

/**
 * Provides the current certificates and tokens. Reads their files and runs exec plugins again after FRESH_MS. Reads the
 * kubeconfig itself again only when `renew` is called.
 */
export interface AccessKeeper {
  /** Namespace that the configuration specifies, if any. */
  namespace: string | undefined;
  current: () => Promise<Access>;
  /**
   * Reloads all credentials. Call it after a 401. Returns false if they were reloaded a moment ago, because a retry
   * would then not help.
   */
  renew: () => boolean;
}

/**
 * Time for which credentials are reused. It is longer than a burst of requests, and shorter than the lifetime of any
 * token.
 */
const FRESH_MS = 10_000;

/**
 * Reads the configuration through the client library. If a path is given, the configuration is this kubeconfig (tokens,
 * certificates, exec plugins). Otherwise it is the service account of the pod.
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
    // This call reads tokens from their files and runs exec plugins.
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
        const started = { access: read(), atMs: nowMs() };
        known = started;
        started.access.catch(() => {
          if (known === started) known = undefined;
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
    throw new Error(
      'this process does not run in a pod (KUBERNETES_SERVICE_HOST is not set); set the path of a kubeconfig instead',
    );
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
  // A token file may end with a newline, which is not allowed in a header.
  for (const [name, value] of Object.entries(headers ?? {})) all[name] = String(value).trim();
  if (typeof auth === 'string') all.Authorization = `Basic ${Buffer.from(auth).toString('base64')}`;
  return all;
}
