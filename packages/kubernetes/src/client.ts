import { setTimeout as sleep } from 'node:timers/promises';
import { buildKubernetesError } from './answer.ts';
import type { Answer } from './answer.ts';
import type { AccessKeeper } from './access.ts';
import type { KubeApi } from './api.ts';
import { KubernetesError } from './kubernetes-error.ts';
import { createDeadline } from './deadline.ts';
import type { KubeList, KubeObject, ResourceType } from './objects.ts';
import { buildPath } from './paths.ts';
import type { PathParts } from './paths.ts';
import { retryDelayMs } from './retry.ts';
import type { RetryOptions } from './retry.ts';
import { buildNetworkError, readAnswer } from './transport.ts';
import type { Transport, TransportRequest } from './transport.ts';
import { watchObjects } from './watch.ts';

/** Decides whether this process may write. */
export interface WriteGate {
  /** Throws while this process must not write. */
  pass: () => void;
  /** Aborts writes in progress when this process must not write any more. */
  signal: () => AbortSignal;
}

export interface KubeApiOptions {
  namespace: string;
  /** Field manager of our fields. */
  fieldManager: string;
  access: Pick<AccessKeeper, 'renew'>;
  transport: Transport;
  /** Separate connections for watches, which would otherwise occupy those of other requests. */
  watchTransport: Transport;
  /** Timeout of one attempt. No attempt starts after it. */
  timeoutMs: number;
  retry: RetryOptions;
  /** Refuses writes while it is closed. Writes are always allowed if absent. */
  gate?: WriteGate;
  /** Called for every attempt. The code is an HTTP status, or 0 without a response. */
  onRequest?: (verb: string, code: number) => void;
  random?: () => number;
}

const JSON_TYPE = 'application/json';
const APPLY_TYPE = 'application/apply-patch+yaml';
const MERGE_TYPE = 'application/merge-patch+json';
const WRITING = new Set(['create', 'replace', 'apply', 'patch', 'delete']);

interface Call {
  verb: string;
  method: TransportRequest['method'];
  type: ResourceType;
  parts?: Omit<PathParts, 'namespace'>;
  body?: { type: string; value: unknown };
  signal?: AbortSignal | undefined;
}

/** Creates the client of one namespace. */
export function createKubeApi(options: KubeApiOptions): KubeApi {
  const {
    namespace,
    fieldManager,
    access,
    transport,
    timeoutMs,
    retry,
    gate,
    onRequest,
    random = Math.random,
  } = options;

  /** Sends one attempt. */
  async function send(call: Call, what: string): Promise<Answer> {
    const { verb, method, type, parts, body, signal } = call;
    const writes = WRITING.has(verb);
    if (writes) gate?.pass();
    const lead = writes ? gate?.signal() : undefined;
    const signals = [signal, lead].filter((one) => one !== undefined);
    const deadline = createDeadline(timeoutMs, signals);
    try {
      const response = await transport.open({
        method,
        path: buildPath(type, { namespace, ...parts }),
        ...(body && { body: { type: body.type, text: JSON.stringify(body.value) } }),
        signal: deadline.signal,
      });
      const answer = await readAnswer(response);
      onRequest?.(verb, answer.status);
      return answer;
    } catch (error) {
      onRequest?.(verb, 0);
      if (lead?.aborted === true) gate?.pass();
      if (deadline.signal.aborted) throw buildNetworkError(what, deadline.signal.reason);
      throw buildNetworkError(what, error);
    } finally {
      deadline.clear();
    }
  }

  /** Retries until the request succeeds, or until a retry would not help. */
  async function request(call: Call): Promise<Answer> {
    const { verb, type, parts, signal } = call;
    const what = `${verb} ${type.plural}${parts?.name === undefined ? '' : ` ${parts.name}`}`;
    const untilMs = performance.now() + timeoutMs;
    for (let tries = 1; ; tries++) {
      let failure: unknown;
      try {
        const answer = await send(call, what);
        if (answer.status < 300) return answer;
        failure = buildKubernetesError(what, answer, Date.now());
        if (answer.status === 401 && tries === 1 && access.renew()) continue;
      } catch (error) {
        failure = error;
      }
      if (failure instanceof KubernetesError) failure.attempts = tries;
      const waitMs = retryDelayMs(failure, tries, retry, random());
      if (waitMs === undefined || performance.now() + waitMs > untilMs || signal?.aborted === true) throw failure;
      await sleep(waitMs);
    }
  }

  const object = async (call: Call) => JSON.parse((await request(call)).text) as KubeObject;
  const patch = (type: ResourceType, bodyType: string, value: object, parts: Omit<PathParts, 'namespace'>) =>
    object({
      verb: bodyType === APPLY_TYPE ? 'apply' : 'patch',
      method: 'PATCH',
      type,
      parts,
      body: { type: bodyType, value },
    });
  const applied = { fieldManager, force: true };
  // Without strict validation the server would silently drop an unknown field.
  const written = { fieldManager, fieldValidation: 'Strict' };

  return {
    namespace,
    get: async (type, name) => {
      try {
        return await object({ verb: 'get', method: 'GET', type, parts: { name } });
      } catch (error) {
        if (isMissing(error)) return undefined;
        throw error;
      }
    },
    list: async (type, { signal, ...query } = {}) => {
      const answer = await request({ verb: 'list', method: 'GET', type, parts: { query: { ...query } }, signal });
      return JSON.parse(answer.text) as KubeList;
    },
    create: (type, value) =>
      object({
        verb: 'create',
        method: 'POST',
        type,
        parts: { query: written },
        body: { type: JSON_TYPE, value },
      }),
    replace: (type, value) =>
      object({
        verb: 'replace',
        method: 'PUT',
        type,
        parts: { name: value.metadata.name, query: written },
        body: { type: JSON_TYPE, value },
      }),
    apply: (type, value) => patch(type, APPLY_TYPE, value, { name: value.metadata.name, query: applied }),
    applyStatus: (type, value) =>
      patch(type, APPLY_TYPE, value, { name: value.metadata.name, subresource: 'status', query: applied }),
    mergePatch: (type, name, value, { subresource } = {}) =>
      patch(type, MERGE_TYPE, value, {
        name,
        ...(subresource !== undefined && { subresource }),
        query: { fieldManager },
      }),
    delete: async (type, name, { uid, propagation = 'Background' } = {}) => {
      const value = {
        kind: 'DeleteOptions',
        apiVersion: 'v1',
        propagationPolicy: propagation,
        ...(uid !== undefined && { preconditions: { uid } }),
      };
      try {
        await request({ verb: 'delete', method: 'DELETE', type, parts: { name }, body: { type: JSON_TYPE, value } });
      } catch (error) {
        if (!isMissing(error)) throw error;
      }
    },
    watch: (type, watch) =>
      watchObjects({ transport: options.watchTransport, namespace, timeoutMs, access, onRequest }, type, watch),
    close: () => {
      transport.close();
      options.watchTransport.close();
    },
  };
}

function isMissing(error: unknown): boolean {
  return error instanceof KubernetesError && error.status === 404 && error.reason === 'NotFound';
}
