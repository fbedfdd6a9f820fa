import { readFileSync } from 'node:fs';
import { checkAddress } from '@svc-asr/client/internal';
import { UsageError } from './exit.ts';
import type { Sources } from './sources.ts';

/** Address, secret and CA file for requests. */
export interface Endpoint {
  url: string;
  /** Undefined if no secret is configured for this address. */
  secret: string | undefined;
  caFile: string | undefined;
}

/** Returns the endpoint of the HTTP API. */
export function publicEndpoint({ flags, env, file }: Sources): Endpoint {
  return resolveEndpoint(
    { name: '--base-url', given: flags.baseUrl ?? nonEmpty(env.SVC_ASR_BASE_URL), local: file.base_url },
    { given: nonEmpty(env.SVC_ASR_API_KEY), local: file.api_key },
    { given: flags.ca ?? nonEmpty(env.SVC_ASR_CA_FILE), local: file.ca_file },
    'Start the service with `npm start`, or set its address with --base-url or SVC_ASR_BASE_URL. If you start it with SVC_ASR_HOME, set this variable for svc-asr too.',
  );
}

/** Returns the endpoint of the admin API. */
export function adminEndpoint({ flags, env, file }: Sources): Endpoint {
  return resolveEndpoint(
    { name: '--admin-url', given: flags.adminUrl ?? nonEmpty(env.SVC_ASR_ADMIN_URL), local: file.admin_url },
    { given: nonEmpty(env.SVC_ASR_ADMIN_TOKEN) ?? readToken(env.SVC_ASR_ADMIN_TOKEN_FILE), local: file.admin_token },
    { given: flags.ca ?? nonEmpty(env.SVC_ASR_CA_FILE), local: file.ca_file },
    'Start the service with `npm start`, or set the address of the admin API with --admin-url or SVC_ASR_ADMIN_URL.',
  );
}

/** Reads the token from a file, such as a mounted Secret in a pod. */
function readToken(path: string | undefined): string | undefined {
  if (path === undefined || path === '') return undefined;
  try {
    return nonEmpty(readFileSync(path, 'utf8').trim());
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new UsageError(`cannot read the file in SVC_ASR_ADMIN_TOKEN_FILE: ${reason}`);
  }
}

interface Choice {
  given: string | undefined;
  local: string | undefined;
}

/** Selects the values to use. Secret and CA of the local file are used only for the address in the same file. */
function resolveEndpoint(address: Choice & { name: string }, secret: Choice, ca: Choice, missing: string): Endpoint {
  const chosen = address.given ?? address.local;
  if (chosen === undefined) throw new UsageError(`No service address is configured. ${missing}`);
  const url = checked(chosen, address.name);
  const isLocal = address.local !== undefined && url === checked(address.local, 'the address in local.json');
  const pick = ({ given, local }: Choice) => given ?? (isLocal ? local : undefined);
  return { url, secret: pick(secret), caFile: pick(ca) };
}

function checked(address: string, name: string): string {
  try {
    return checkAddress(address, name);
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

function nonEmpty(text: string | undefined): string | undefined {
  return text === '' ? undefined : text;
}
