import type { Server } from 'node:http';
import { connectRedis, createLedger } from '@svc-asr/ledger';
import { createTelemetry, ledgerConstants, startAdmin } from '@svc-asr/runtime';
import type { Logger, StopStep } from '@svc-asr/runtime';
import { createAdminApp } from './admin/app.ts';
import { createDeveloperApp } from './developer/app.ts';
import { startPage } from './page/listen.ts';
import { openStore } from './resources/open.ts';
import type { ConsoleSettings } from './settings.ts';

export interface RunningConsole {
  readonly admin: Server;
  readonly page: Server;
  /** How it stops, in order. */
  readonly steps: readonly StopStep[];
}

/** Starts the console: its store, its view of Redis, the admin port and the page's port. */
export async function startConsole(settings: ConsoleSettings, logger: Logger): Promise<RunningConsole> {
  const telemetry = await createTelemetry('console', settings, logger);
  const { metrics } = telemetry;
  const link = connectRedis({
    url: settings.REDIS_URL,
    name: 'svc-asr-console',
    timeoutMs: settings.REDIS_TIMEOUT_MS,
    logger,
  });
  const resources = await openStore(settings, logger, metrics);
  const deps = {
    store: resources.store,
    ledger: createLedger(link, { prefix: settings.REDIS_KEY_PREFIX, constants: ledgerConstants(settings) }),
    peppers: settings.API_KEY_PEPPERS,
    settings,
    logger,
    metrics,
    now: Date.now,
  };
  const page = await startPage(settings, createDeveloperApp(deps), logger);
  const admin = await startAdmin({
    host: settings.ADMIN_HOST,
    port: settings.ADMIN_PORT,
    metrics,
    ready: readyOnceSeen({
      'Redis has not answered yet: check REDIS_URL': () => link.ready,
      'the Kubernetes API has not answered yet: check KUBERNETES and the rights of the console': resources.seen,
    }),
    otherwise: createAdminApp(deps),
  });
  logger.info({ reason: `admin port ${portOf(admin)}, console port ${portOf(page)}` }, 'the console is up');
  return {
    admin,
    page,
    steps: [
      { name: 'console port', stop: () => closeServer(page, settings.STOP_GRACE_MS / 2) },
      { name: 'admin port', stop: () => closeServer(admin, settings.STOP_GRACE_MS / 2) },
      { name: 'resources', stop: () => resources.close() },
      { name: 'Redis', stop: () => link.close() },
      { name: 'telemetry', stop: () => telemetry.stop() },
    ],
  };
}

/**
 * Ready from the first moment that each of these was there. That one goes away later is no reason to take the console
 * out of service: it is then that people want to look and to revoke.
 */
export function readyOnceSeen(isThere: Readonly<Record<string, () => boolean>>): () => string | undefined {
  const unseen = new Map(Object.entries(isThere));
  return () => {
    for (const [problem, check] of unseen) if (check()) unseen.delete(problem);
    const [problem] = unseen.keys();
    return problem;
  };
}

/** Takes no new connection, lets requests finish, and after the grace period breaks off those that have not. */
async function closeServer(server: Server, graceMs: number): Promise<void> {
  const timer = setTimeout(() => server.closeAllConnections(), graceMs);
  await new Promise((resolve) => server.close(resolve));
  clearTimeout(timer);
}

function portOf(server: Server): number {
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}
