import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connectRedis, createLedger } from '@svc-asr/ledger';
import type { Ledger } from '@svc-asr/ledger';
import { createLogger, readSettings } from '@svc-asr/runtime';
import type { Express } from 'express';
import { eventually } from '../../../test/support/eventually.ts';
import { endAfterFile } from '../../../test/support/leftovers.ts';
import { CONSOLE_SETTINGS } from '../settings.ts';
import { startConsole } from '../start.ts';

export const TOKEN = 'test-admin-token-0123456789-abcdefgh';
export const PEPPER = Buffer.alloc(32, 7);

export interface Answer {
  status: number;
  headers: Headers;
  text: string;
  /** The parsed JSON body. Tests check the fields that they expect. */
  body: ReturnType<JSON['parse']>;
}

export interface CallOptions {
  body?: unknown;
  headers?: Record<string, string>;
  token?: string | null;
}

export interface TestConsole {
  /** URL of the admin API. */
  readonly adminUrl: string;
  /** URL of health and metrics. */
  readonly healthUrl: string;
  readonly pageUrl: string;
  /** Routes of the admin API and of the developer API. */
  readonly routes: { readonly admin: readonly Route[]; readonly developer: readonly Route[] };
  readonly folder: string;
  readonly readFolder: string;
  readonly ledger: Ledger;
  /** Returns all log output. */
  output: () => string;
  call: (method: string, path: string, options?: CallOptions) => Promise<Answer>;
  stop: () => Promise<void>;
}

/** One method of a path that an app serves. */
export interface Route {
  method: string;
  /** Pattern with parameters, such as /admin/v1/tenants/:name. */
  path: string;
}

/** Returns the routes of the Express app behind a server. HEAD is left out, because GET handles it. */
function routesOf(server: Server): Route[] {
  const [app] = server.listeners('request') as Express[];
  const layers = app?.router.stack ?? [];
  return layers.flatMap(({ route }) =>
    (route?.stack ?? []).flatMap(({ method }) => {
      // A handler that was added with `all` has no method.
      const name = method as string | undefined;
      return route === undefined || name === undefined ? [] : [{ method: name.toUpperCase(), path: route.path }];
    }),
  );
}

/** Starts the real console on free loopback ports, with temporary folders. */
export async function startTestConsole(redisUrl: string, env: Record<string, string> = {}): Promise<TestConsole> {
  const home = mkdtempSync(join(tmpdir(), 'svc-asr-console-'));
  const folder = join(home, 'config');
  const readFolder = join(home, 'read');
  mkdirSync(readFolder);
  const settings = readSettings(CONSOLE_SETTINGS, {
    ADMIN_HOST: '127.0.0.1',
    ADMIN_PORT: '0',
    ADMIN_API_PORT: '0',
    ADMIN_TOKEN: TOKEN,
    API_KEY_PEPPERS: JSON.stringify({ current: 'p1', secrets: { p1: PEPPER.toString('base64') } }),
    CONFIG_FOLDER: folder,
    READ_ONLY_FOLDERS: readFolder,
    CONSOLE_HOST: '127.0.0.1',
    CONSOLE_PORT: '0',
    REDIS_URL: redisUrl,
    STOP_GRACE_MS: '200',
    // Redis may answer late on a busy machine.
    REDIS_TIMEOUT_MS: '5000',
    ...env,
  });
  let output = '';
  const logger = createLogger('console', 'debug', { write: (line) => (output += line) });
  const { admin, adminApi, page, steps } = await startConsole(settings, logger);
  const link = connectRedis({ url: redisUrl, name: 'test', timeoutMs: 5000 });
  endAfterFile(link.close);
  const urlOf = (server: Server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const adminUrl = urlOf(adminApi.local);
  return {
    adminUrl,
    healthUrl: urlOf(admin),
    pageUrl: urlOf(page),
    routes: { admin: routesOf(adminApi.local), developer: routesOf(page) },
    folder,
    readFolder,
    ledger: createLedger(link, { prefix: settings.REDIS_KEY_PREFIX }),
    output: () => output,
    call: (method, path, options) => call(`${adminUrl}${path}`, method, options),
    stop: async () => {
      for (const { stop } of steps) await stop();
      await link.close();
      rmSync(home, { recursive: true, force: true });
    },
  };
}

async function call(url: string, method: string, { body, headers, token = TOKEN }: CallOptions = {}): Promise<Answer> {
  const response = await fetch(url, {
    method,
    headers: {
      ...(token === null ? {} : { authorization: `Bearer ${token}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.startsWith('application/json') ?? false;
  const parsed = JSON.parse(isJson ? `{"body":${text}}` : '{}') as Pick<Answer, 'body'>;
  return { status: response.status, headers: response.headers, text, ...parsed };
}

/**
 * Waits until the console and the ledger of the test are ready, so that the first requests of a test are not rejected.
 */
export async function untilReady({ healthUrl, ledger }: TestConsole): Promise<void> {
  const isReady = async () => ledger.link.ready && (await fetch(`${healthUrl}/readyz`)).ok;
  await eventually('the console is ready', 60_000, isReady);
}
