import { resolve } from 'node:path';
import type { WorkerTemplate } from '../runtime.ts';
import { buildVariables } from '../variables.ts';

const LOOPBACK = '127.0.0.1';
/** What belongs to other services: their secrets, and addresses and certificates that are not a worker's. */
const NOT_FOR_WORKERS =
  /^(API_KEY_PEPPERS|SESSION_SECRETS|ADMIN_TOKEN|TLS_|PUBLIC_URL|CONFIG_|CONSOLE_|READ_ONLY_FOLDERS|ADVERTISE_ADDRESS)/;

/** What a worker may use of its grace period to hand its streams over; the rest is for ending. */
const SHARE_OF_GRACE = 0.8;

export interface EnvironmentOptions {
  /** The environment to build on: the operator's own. */
  base: NodeJS.ProcessEnv;
  /** The folder that relative paths of artifacts start from. */
  modelRoot: string;
  redis: { url: string; prefix: string; timeoutMs: number };
  /** How long the worker may take to stop before it is killed. */
  stopGraceMs: number;
}

/** Why a process of this machine cannot have such an artifact; undefined: it can. */
export function findArtifactProblem({ artifact }: WorkerTemplate): string | undefined {
  return 'path' in artifact
    ? undefined
    : `spec.artifact.${Object.keys(artifact)[0] ?? ''} needs a cluster; on one machine use spec.artifact.path`;
}

/** The environment of a worker process. Secrets are passed on as they came: in the environment, or as name of a file. */
export function buildEnvironment(template: WorkerTemplate, id: string, options: EnvironmentOptions): NodeJS.ProcessEnv {
  const { base, redis } = options;
  const inherited = Object.entries(base).filter(([name]) => !NOT_FOR_WORKERS.test(name));
  const path = 'path' in template.artifact ? template.artifact.path : '';
  return {
    ...Object.fromEntries(inherited),
    ...ownVariables(template),
    ...(base.REDIS_URL_FILE ? {} : { REDIS_URL: redis.url }),
    ...buildVariables(template, {
      redis,
      modelDir: resolve(options.modelRoot, path),
      // It ends by itself before it is killed.
      drainMs: options.stopGraceMs * SHARE_OF_GRACE,
    }),
    WORKER_ID: id,
    HOST: LOOPBACK,
    PORT: '0',
    ADMIN_HOST: LOOPBACK,
    ADMIN_PORT: '0',
  };
}

/** Variables that the model's resource gives its workers, in the form of a container's `env`. */
function ownVariables({ worker }: WorkerTemplate): NodeJS.ProcessEnv {
  const pairs = (worker.env ?? []).flatMap(({ name, value }) =>
    typeof name === 'string' && typeof value === 'string' ? [[name, value] as const] : [],
  );
  return Object.fromEntries(pairs);
}
