import type { RedisKeys } from './keys.ts';
import { originText, readOrigin } from './origin.ts';
import type { RedisLink } from './redis/link.ts';
import { loadScript } from './scripts.ts';

const ADD = loadScript('add_refusals');
/** Time for which a refusal is listed. The whole list expires this long after the last refusal was added. */
const RETENTION_MS = 7 * 86_400_000;
/** Placeholder for an unknown model in the stored line of a refusal. */
const NONE = '-';

/** A request that a gateway refused. It has no secrets and no body. */
export interface Refusal {
  atMs: number;
  requestId: string;
  method: string;
  /** Route of the request, such as `/v1/asr/sessions/:id`. */
  path: string;
  status: number;
  /** Code of the error. */
  code: string;
  /** Message of the error. Undefined if it is the default message of the code. */
  message: string | undefined;
  /** Id of the API key. Null for a request of the playground. */
  keyId: string | null;
  model: string | null;
}

/** Creates access to the refused requests of tenants. The newest 200 of each tenant are kept, for at most 7 days. */
export function createRefusals(link: RedisLink, keys: RedisKeys) {
  return {
    /** Adds refusals of one tenant, the oldest first. */
    async add(tenant: string, refusals: readonly Refusal[]): Promise<void> {
      if (refusals.length > 0) await link.run(ADD, keys.account(tenant), refusals.map(lineOf));
    },

    /** Returns all refusals of a tenant that are kept, the newest first. */
    async list(tenant: string, nowMs: number = Date.now()): Promise<Refusal[]> {
      const key = keys.refusals(tenant);
      const lines = (await link.send(key, ['LRANGE', key, '0', '-1'])) as string[];
      const refusals = lines.map(readLine).filter(({ atMs }) => atMs > nowMs - RETENTION_MS);
      // Gateways add their refusals in groups, so the stored list is not sorted by time.
      return refusals.sort((a, b) => b.atMs - a.atMs);
    },
  };
}

/** Formats a refusal as `AT KEY|REQUEST METHOD PATH STATUS CODE MODEL MESSAGE`. The message may be empty. */
function lineOf({ atMs, method, path, status, code, model, message = '', ...origin }: Refusal): string {
  return [atMs, originText(origin), method, path, status, code, model ?? NONE, message].join(' ');
}

function readLine(line: string): Refusal {
  const [at, origin, method = '', path = '', status, code = '', model = NONE, ...message] = line.split(' ');
  const { keyId, requestId } = readOrigin(origin);
  return {
    atMs: Number(at),
    requestId: requestId ?? '',
    method,
    path,
    status: Number(status),
    code,
    message: message.join(' ') === '' ? undefined : message.join(' '),
    keyId,
    model: model === NONE ? null : model,
  };
}
