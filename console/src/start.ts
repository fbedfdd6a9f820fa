import type { Server } from 'node:http';
import { connectRedis, createLedger, requireSchema } from '@svc-asr/ledger';
import { createTelemetry, ledgerConstants, startAdmin } from '@svc-asr/runtime';
import type { Logger, StopStep } from '@svc-asr/runtime';
import { createAdminApp } from './admin/app.ts';
import { AuditLog } from './audit/log.ts';
import { createDeveloperApp } from './developer/app.ts';
import { createGatewayClient } from './gateway-client.ts';
import { createIdentity } from './identity/identity.ts';
import { startMailCheck } from './mail/check.ts';
import { createMailer } from './mail/mailer.ts';
import { startAdminApi, startPage } from './ports.ts';
import type { AdminApiServers } from './ports.ts';
import { addCachedReads } from './resources/cached-reads.ts';
import { openStore } from './resources/open.ts';
import type { ConsoleSettings } from './settings.ts';
import { createSignInCodes } from './sign-in-codes.ts';

export interface RunningConsole {
  /** Health and metrics. */
  readonly admin: Server;
  readonly adminApi: AdminApiServers;
  readonly page: Server;
  /** Steps of the shutdown, in order. */
  readonly steps: readonly StopStep[];
}

/** Starts the console: resource store, Redis connection, admin port, admin API and console port. */
export async function startConsole(settings: ConsoleSettings, logger: Logger): Promise<RunningConsole> {
  const telemetry = await createTelemetry('console', settings, logger);
  const { metrics } = telemetry;
  const prefix = settings.REDIS_KEY_PREFIX;
  const link = connectRedis({
    url: settings.REDIS_URL,
    name: 'svc-asr-console',
    timeoutMs: settings.REDIS_TIMEOUT_MS,
    logger,
  });
  const resources = await openStore(settings, logger, metrics);
  const { store, reads } = addCachedReads(resources.store, settings.CACHE_MS);
  const ledger = createLedger(requireSchema(link, { prefix, logger }), {
    prefix,
    constants: ledgerConstants(settings),
  });
  const audit = new AuditLog({ ledger, settings, logger, now: Date.now });
  const identity = createIdentity({ settings, ledger, logger, now: Date.now });
  const mailer = createMailer({ settings, logger, now: Date.now });
  const deps = {
    store,
    reads,
    platform: resources.platform,
    ledger,
    audit,
    provider: identity.provider,
    mailer,
    peppers: settings.API_KEY_PEPPERS,
    gateway: createGatewayClient(settings, { peppers: settings.API_KEY_PEPPERS, logger, now: Date.now }),
    codes: createSignInCodes(),
    settings,
    logger,
    metrics,
    now: Date.now,
  };
  const page = await startPage(settings, createDeveloperApp({ ...deps, identity }), logger);
  const adminApi = await startAdminApi(settings, createAdminApp(deps), logger);
  const admin = await startAdmin({
    host: settings.ADMIN_HOST,
    port: settings.ADMIN_PORT,
    metrics,
    ready: readyAfterFirstResponse({
      'Redis has not responded yet. Check REDIS_URL.': () => link.ready,
      'The Kubernetes API has not responded yet. Check KUBERNETES and the RBAC rules of the console.': resources.ready,
    }),
  });
  const ports = `admin port ${portOf(admin)}, admin API port ${portOf(adminApi.local)}, console port ${portOf(page)}`;
  logger.info({ reason: ports }, 'console started');
  const mailCheck = startMailCheck(deps);
  const graceMs = settings.STOP_GRACE_MS / 2;
  return {
    admin,
    adminApi,
    page,
    steps: [
      {
        name: 'console port and admin API',
        stop: () => closeServers([page, adminApi.local, adminApi.remote], graceMs),
      },
      { name: 'admin port', stop: () => closeServers([admin], graceMs) },
      {
        name: 'mail',
        stop: () => {
          mailCheck.stop();
          mailer.close();
        },
      },
      { name: 'resources', stop: () => resources.close() },
      { name: 'audit log', stop: () => audit.close() },
      { name: 'Redis', stop: () => link.close() },
      { name: 'telemetry', stop: () => telemetry.stop() },
    ],
  };
}

/**
 * Returns a readiness check that passes as soon as every dependency has responded at least once. A later outage does
 * not make the console unready, because administrators must still be able to list and revoke keys.
 */
export function readyAfterFirstResponse(checks: Readonly<Record<string, () => boolean>>): () => string | undefined {
  const pending = new Map(Object.entries(checks));
  return () => {
    for (const [problem, check] of pending) if (check()) pending.delete(problem);
    const [problem] = pending.keys();
    return problem;
  };
}

/** Accepts no new connections and waits for running requests. Closes their connections after the grace period. */
async function closeServers(servers: readonly (Server | undefined)[], graceMs: number): Promise<void> {
  const close = async (server: Server) => {
    const timer = setTimeout(() => server.closeAllConnections(), graceMs);
    await new Promise((resolve) => server.close(resolve));
    clearTimeout(timer);
  };
  await Promise.all(servers.filter((server) => server !== undefined).map(close));
}

function portOf(server: Server): number {
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}
