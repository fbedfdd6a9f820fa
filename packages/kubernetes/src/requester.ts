import { setTimeout as sleep } from 'node:timers/promises';
import { buildKubernetesError } from './answer.ts';
import type { Answer } from './answer.ts';
import type { AccessKeeper } from './access.ts';
import { createDeadline } from './deadline.ts';
import { KubernetesError } from './kubernetes-error.ts';
import { acceptOf } from './objects.ts';
import type { ResourceType } from './objects.ts';
import { buildPath } from './paths.ts';
import type { PathParts } from './paths.ts';
import { retryDelayMs } from './retry.ts';
import type { RetryOptions } from './retry.ts';
import { buildNetworkError, readAnswer } from './transport.ts';
import type { Transport, TransportRequest } from './transport.ts';

/**
 * Decides whether this process is allowed to write. For example, only one of several operator processes, the leader, is
 * allowed to write.
 */
export interface WriteGate {
  /** Throws while this process must not write. */
  pass: () => void;
  /** Returns a signal that aborts writes in progress when this process may no longer write. */
  signal: () => AbortSignal;
}

export interface RequesterOptions {
  namespace: string;
  access: Pick<AccessKeeper, 'renew'>;
  transport: Transport;
  /**
   * Timeout of one attempt. It also limits retries. When this time has passed since the first attempt started, no
   * further attempt starts.
   */
  timeoutMs: number;
  retry: RetryOptions;
  /** Gate that refuses writes while it is closed. If omitted, writes are always allowed. */
  gate?: WriteGate;
  /** Called for every attempt of a request. The code is the HTTP status, or 0 if there was no response. */
  onRequest?: (verb: string, code: number) => void;
  random?: () => number;
}

export interface ApiRequest {
  verb: string;
  method: TransportRequest['method'];
  type: ResourceType;
  parts?: Omit<PathParts, 'namespace'>;
  body?: { type: string; value: unknown };
  signal?: AbortSignal | undefined;
}

/** Sends a request with retries. Throws a `KubernetesError` if the last attempt fails, or the error of the gate. */
export type Requester = (request: ApiRequest) => Promise<Answer>;

const WRITING = new Set(['create', 'replace', 'apply', 'patch', 'delete']);

/**
 * Creates a requester that repeats a request until it succeeds or a retry would not help. No attempt starts later than
 * `timeoutMs` after the start of the first one.
 */
export function createRequester(options: RequesterOptions): Requester {
  const { access, timeoutMs, retry, random = Math.random } = options;
  return async (request) => {
    const what = describeRequest(request);
    const untilMs = performance.now() + timeoutMs;
    for (let tries = 1; ; tries++) {
      let failure: unknown;
      try {
        const answer = await sendOnce(request, what, options);
        if (answer.status < 300) return answer;
        failure = buildKubernetesError(what, answer, Date.now());
        if (answer.status === 401 && tries === 1 && access.renew()) continue;
      } catch (error) {
        failure = error;
      }
      if (failure instanceof KubernetesError) failure.attempts = tries;
      const waitMs = retryDelayMs(failure, tries, retry, random());
      const isTooLate = waitMs === undefined || performance.now() + waitMs > untilMs;
      if (isTooLate || request.signal?.aborted === true) throw failure;
      await sleep(waitMs);
    }
  };
}

/** Sends a request once. Throws if the gate is closed or no response arrives in time. */
async function sendOnce(request: ApiRequest, what: string, options: RequesterOptions): Promise<Answer> {
  const { namespace, transport, timeoutMs, gate, onRequest } = options;
  const { verb, method, type, parts, body, signal } = request;
  const writes = WRITING.has(verb);
  if (writes) gate?.pass();
  const lead = writes ? gate?.signal() : undefined;
  const signals = [signal, lead].filter((one) => one !== undefined);
  const deadline = createDeadline(timeoutMs, signals);
  try {
    const response = await transport.open({
      method,
      path: buildPath(type, { namespace, ...parts }),
      accept: acceptOf(type, verb === 'list'),
      ...(body && { body: { type: body.type, text: JSON.stringify(body.value) } }),
      signal: deadline.signal,
    });
    const answer = await readAnswer(response);
    onRequest?.(verb, answer.status);
    return answer;
  } catch (error) {
    onRequest?.(verb, 0);
    // If the gate was closed during the attempt, `pass` throws the reason.
    if (lead?.aborted === true) gate?.pass();
    if (deadline.signal.aborted) throw buildNetworkError(what, deadline.signal.reason);
    throw buildNetworkError(what, error);
  } finally {
    deadline.clear();
  }
}

function describeRequest({ verb, type, parts }: ApiRequest): string {
  return `${verb} ${type.plural}${parts?.name === undefined ? '' : ` ${parts.name}`}`;
}
