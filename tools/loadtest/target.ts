import { readFileSync } from 'node:fs';
import type { Options } from '../../loadtest/lib/options.ts';
import { homeOf } from '../start/home.ts';
import { readLocalJson } from '../start/local-json.ts';
import { isAlive } from '../supervise/alive.ts';

/** A service that is there. */
export interface Target {
  readonly baseUrl: string;
  readonly adminUrl: string;
  readonly adminToken: string;
  /** PEM file of the authority that signed its certificates; empty: the system's. */
  readonly caFile: string;
  /** Admin port of the operator; empty: not known. */
  readonly operatorUrl: string;
}

/** The service that the environment names or `npm start` runs; undefined: there is none. */
export function findTarget(options: Options, env: NodeJS.ProcessEnv): Target | undefined {
  const baseUrl = options.text('BASE_URL').replace(/\/$/, '');
  return baseUrl === '' ? findLocal(options, env) : readNamed(baseUrl, options, env);
}

function readNamed(baseUrl: string, options: Options, env: NodeJS.ProcessEnv): Target {
  const adminUrl = options.text('ADMIN_URL').replace(/\/$/, '');
  const file = env.ADMIN_TOKEN_FILE ?? '';
  const adminToken = file === '' ? options.text('ADMIN_TOKEN') : readFileSync(file, 'utf8').trim();
  if (adminUrl === '' || adminToken === '') {
    throw new Error('with BASE_URL, set ADMIN_URL and ADMIN_TOKEN (or ADMIN_TOKEN_FILE) too: tenants are made there');
  }
  return { baseUrl, adminUrl, adminToken, caFile: options.text('CA_FILE'), operatorUrl: operatorUrlOf(options) };
}

function findLocal(options: Options, env: NodeJS.ProcessEnv): Target | undefined {
  const local = readLocalJson(homeOf(env).localJson);
  // The pid is there while the service runs; after a crash it names a process that is gone.
  if (local?.pid === undefined || !isAlive(local.pid)) return undefined;
  const {
    base_url: baseUrl = '',
    admin_url: adminUrl = '',
    admin_token: adminToken = '',
    ca_file: caFile = '',
  } = local;
  return {
    baseUrl,
    adminUrl,
    adminToken,
    caFile,
    operatorUrl: operatorUrlOf(options) || (local.operator_admin_url ?? ''),
  };
}

function operatorUrlOf(options: Options): string {
  return options.text('OPERATOR_URL').replace(/\/$/, '');
}
