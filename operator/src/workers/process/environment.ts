import { resolve } from 'node:path';
import type { WorkerTemplate } from '../template.ts';
import { buildVariables } from '../variables.ts';

const LOOPBACK = '127.0.0.1';
/** Variables of other services, which workers must not inherit, such as secrets, addresses and certificates. */
const NOT_FOR_WORKERS =
  /^(API_KEY_PEPPERS|SESSION_SECRETS|WORKER_TICKET_KEY|ADMIN_TOKEN|TLS_|PUBLIC_URL|CONFIG_|CONSOLE_|READ_ONLY_FOLDERS|ADVERTISE_ADDRESS)/;

/** Share of the grace period in which a worker hands its streams over. The remaining time is for its shutdown. */
const SHARE_OF_GRACE = 0.8;

export interface EnvironmentOptions {
  /** Environment variables of the operator. Workers inherit them, except the variables for other services. */
  base: NodeJS.ProcessEnv;
  /** Folder that relative artifact paths are resolved against. */
  modelRoot: string;
  redis: { url: string; prefix: string; timeoutMs: number };
  /** Time within which a worker must stop. A worker that still runs after this time is killed. */
  stopGraceMs: number;
}

/** Returns why a process on this machine cannot use the artifact or the tiers of a template. Undefined if it can. */
export function findArtifactProblem(template: WorkerTemplate): string | undefined {
  if (template.tiers !== undefined) return 'spec.pools is supported in a cluster only; remove it';
  const unsupported = [template, ...(template.guests ?? [])].find(({ artifact }) => !('path' in artifact));
  if (unsupported === undefined) return undefined;
  const field = `spec.artifact.${Object.keys(unsupported.artifact)[0] ?? ''} of ${unsupported.model}`;
  return `${field} is supported in a cluster only; use spec.artifact.path`;
}

/**
 * Builds the environment of a worker process. If the operator reads REDIS_URL from a file, the worker gets the path of
 * this file and not the URL.
 */
export function buildEnvironment(template: WorkerTemplate, id: string, options: EnvironmentOptions): NodeJS.ProcessEnv {
  const { base, redis } = options;
  const inherited = Object.entries(base).filter(([name]) => !NOT_FOR_WORKERS.test(name));
  const folderOf = ({ artifact }: Pick<WorkerTemplate, 'artifact'>) =>
    resolve(options.modelRoot, 'path' in artifact ? artifact.path : '');
  return {
    ...Object.fromEntries(inherited),
    ...ownVariables(template),
    ...(base.REDIS_URL_FILE ? {} : { REDIS_URL: redis.url }),
    ...buildVariables(template, {
      redis,
      modelDir: folderOf(template),
      guestVariables: (guest) => ({ MODEL_DIR: folderOf(guest) }),
      // The drain timeout is shorter than the grace period, so that the worker ends before it is killed.
      drainMs: options.stopGraceMs * SHARE_OF_GRACE,
    }),
    WORKER_ID: id,
    HOST: LOOPBACK,
    PORT: '0',
    ADMIN_HOST: LOOPBACK,
    ADMIN_PORT: '0',
  };
}

/** Returns the variables of `spec.worker.env`. Values that refer to other objects need a cluster and are left out. */
function ownVariables({ worker }: WorkerTemplate): NodeJS.ProcessEnv {
  const pairs = (worker.env ?? []).flatMap(({ name, value }) =>
    typeof name === 'string' && typeof value === 'string' ? [[name, value] as const] : [],
  );
  return Object.fromEntries(pairs);
}
