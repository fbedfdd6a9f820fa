import { join } from 'node:path';
import { root } from '../launch/terminal.mjs';
import type { ProgramSpec } from '../supervise/program.ts';
import type { Home } from './home.ts';
import type { Ports } from './ports.ts';
import type { SecretFiles } from './secrets.ts';
import type { TlsFiles } from './tls.ts';

/** Services, in the order in which they are started. */
export const SERVICES = ['operator', 'console', 'gateway'] as const;
export type Service = (typeof SERVICES)[number];

/** Inputs for the environment of a service. */
export interface Plan {
  home: Home;
  ports: Ports;
  secrets: SecretFiles;
  tls: TlsFiles;
  redisUrlFile: string;
  node: string;
}

const LOOPBACK = '127.0.0.1';
/** Default grace period of a service, and the time after the grace period before the service is killed. */
const STOP_GRACE_MS = 10_000;
const BEYOND_GRACE_MS = 5000;

/** Returns how to run a service. */
export function serviceProgram(service: Service, plan: Plan, env: NodeJS.ProcessEnv): ProgramSpec {
  return {
    name: service,
    command: plan.node,
    args: ['--enable-source-maps', compiledFile(service, env)],
    env: serviceEnvironment(service, plan, env),
    graceMs: numberIn(env.STOP_GRACE_MS, STOP_GRACE_MS) + numberIn(env.DRAIN_DELAY_MS, 0) + BEYOND_GRACE_MS,
  };
}

/**
 * Returns the environment of a service. Settings given to `npm start` override the defaults, except for Redis and for
 * the hosts, ports, folders and files that `npm start` chooses itself.
 */
export function serviceEnvironment(service: Service, plan: Plan, env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  // Tests set SVC_ASR_LOCAL_CONFIG to a folder whose models accept more sessions.
  const localConfig = env.SVC_ASR_LOCAL_CONFIG ?? join(root, 'config', 'local');
  const defaults: Record<Service, NodeJS.ProcessEnv> = {
    operator: {
      WORKER_PROGRAM: compiledFile('worker', env),
      MODEL_ROOT: root,
      // The operator passes the file to the workers that it starts.
      WORKER_TICKET_PUBLIC_KEYS_FILE: plan.secrets.workerTicketPublicKeys,
    },
    console: {
      CONSOLE_HOST: LOOPBACK,
      TLS_CERT_FILE: plan.tls.certFile,
      TLS_KEY_FILE: plan.tls.keyFile,
      API_KEY_PEPPERS_FILE: plan.secrets.apiKeyPeppers,
      API_URL: `https://localhost:${plan.ports.gateway}`,
      EXAMPLE_CA_FILE: plan.tls.caFile,
      GATEWAY_INTERNAL_URL: `https://127.0.0.1:${plan.ports.gatewayInternal}`,
      GATEWAY_INTERNAL_CA_FILE: plan.tls.caFile,
    },
    gateway: {
      INTERNAL_TLS_CERT_FILE: plan.tls.certFile,
      INTERNAL_TLS_KEY_FILE: plan.tls.keyFile,
      TLS_CERT_FILE: plan.tls.certFile,
      TLS_KEY_FILE: plan.tls.keyFile,
      PUBLIC_URL: `https://localhost:${plan.ports.gateway}`,
      CONSOLE_URL: `https://localhost:${plan.ports.console}`,
      EXAMPLE_CA_FILE: plan.tls.caFile,
      API_KEY_PEPPERS_FILE: plan.secrets.apiKeyPeppers,
      SESSION_SECRETS_FILE: plan.secrets.sessionSecrets,
      WORKER_TICKET_KEY_FILE: plan.secrets.workerTicketKey,
    },
  };
  const fixed: Record<Service, NodeJS.ProcessEnv> = {
    operator: {
      ADMIN_PORT: String(plan.ports.operatorAdmin),
      CONFIG_FOLDERS: `${localConfig},${plan.home.config}`,
      WORKER_STATE_FOLDER: plan.home.workers,
      WORKER_LOG_FOLDER: plan.home.logs,
      LEDGER_ID_FILE: plan.home.ledgerId,
    },
    console: {
      ADMIN_PORT: String(plan.ports.consoleAdmin),
      ADMIN_API_PORT: String(plan.ports.adminApi),
      CONSOLE_PORT: String(plan.ports.console),
      CONFIG_FOLDER: plan.home.config,
      READ_ONLY_FOLDERS: localConfig,
      ADMIN_TOKEN_FILE: plan.secrets.adminToken,
    },
    gateway: {
      ADMIN_PORT: String(plan.ports.gatewayAdmin),
      PORT: String(plan.ports.gateway),
      INTERNAL_PORT: String(plan.ports.gatewayInternal),
      INTERNAL_HOST: LOOPBACK,
      HOST: plan.ports.host,
      LEDGER_ID_FILE: plan.home.ledgerId,
    },
  };
  return {
    ...withoutGiven(defaults[service], env),
    ...env,
    ...fixed[service],
    ADMIN_HOST: LOOPBACK,
    REDIS_URL_FILE: plan.redisUrlFile,
  };
}

/**
 * Returns the main file of a service. Tests set SVC_ASR_PROGRAMS to a folder with bundles of the services, because
 * bundles start faster.
 */
function compiledFile(service: Service | 'worker', env: NodeJS.ProcessEnv): string {
  return join(env.SVC_ASR_PROGRAMS ?? root, service, 'dist', 'main.js');
}

/**
 * Omits the defaults of settings that the user gives as NAME or NAME_FILE. A default NAME_FILE would override a given
 * NAME.
 */
function withoutGiven(defaults: NodeJS.ProcessEnv, given: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(defaults).filter(([name]) => !given[name] && !given[name.replace(/_FILE$/, '')]),
  );
}

function numberIn(text: string | undefined, fallback: number): number {
  const number = Number(text);
  return text === undefined || Number.isNaN(number) ? fallback : number;
}
