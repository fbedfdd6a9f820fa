import { readFileSync } from 'node:fs';
import type { Options } from '../lib/options.ts';
import { homeOf } from '../../tools/start/home.ts';
import { readLocalJson } from '../../tools/start/local-json.ts';
import type { LocalJson } from '../../tools/start/local-json.ts';
import { isAlive } from '../../tools/launch/processes.mjs';

/** A running service. */
export interface Target {
  readonly baseUrl: string;
  readonly adminUrl: string;
  readonly adminToken: string;
  /** PEM file of the CA that signed the certificate of the API. If empty, the CAs of the system are used. */
  readonly caFile: string;
  /** PEM file of the CA that signed the certificate of the admin API. If empty, the CAs of the system are used. */
  readonly adminCaFile: string;
  /** Address of the operator's admin port. Empty if it is unknown. */
  readonly operatorUrl: string;
}

/** Returns the service that the environment names, or the one that `npm start` runs. Undefined if there is none. */
export function findTarget(options: Options, env: NodeJS.ProcessEnv): Target | undefined {
  const url = (name: 'BASE_URL' | 'ADMIN_URL' | 'OPERATOR_URL') => options.text(name).replace(/\/$/, '');
  const [baseUrl, adminUrl, operatorUrl] = [url('BASE_URL'), url('ADMIN_URL'), url('OPERATOR_URL')];
  if (baseUrl === '') return findLocal(operatorUrl, env);
  const file = env.ADMIN_TOKEN_FILE ?? '';
  const adminToken = file === '' ? options.text('ADMIN_TOKEN') : readFileSync(file, 'utf8').trim();
  if (adminUrl === '' || adminToken === '') {
    throw new Error(
      'BASE_URL is set, so set ADMIN_URL and ADMIN_TOKEN (or ADMIN_TOKEN_FILE). Tenants are created there.',
    );
  }
  const [caFile, adminCaFile] = [options.text('CA_FILE'), options.text('ADMIN_CA_FILE')];
  return { baseUrl, adminUrl, adminToken, caFile, adminCaFile, operatorUrl };
}

function findLocal(operatorUrl: string, env: NodeJS.ProcessEnv): Target | undefined {
  const local = readLocalJson(homeOf(env).localJson);
  // While the service runs, local.json contains its pid. After a crash, there is no process with this pid.
  if (local?.pid === undefined || !isAlive(local.pid)) return undefined;
  const target = targetOf(local);
  return operatorUrl === '' ? target : { ...target, operatorUrl };
}

/** Returns the addresses and secrets of a service that runs on this machine. */
export function targetOf(local: Partial<LocalJson>): Target {
  return {
    baseUrl: local.base_url ?? '',
    adminUrl: local.admin_url ?? '',
    adminToken: local.admin_token ?? '',
    caFile: local.ca_file ?? '',
    // The admin API of `npm start` has no TLS.
    adminCaFile: '',
    operatorUrl: local.operator_admin_url ?? '',
  };
}
