import type { ClientRequest, IncomingHttpHeaders } from 'node:http';
import type { Duplex } from 'node:stream';
import { parseResumeNumber, RESUME_HEADERS } from '@svc-asr/core';
import { requestUpgrade } from './worker-upgrade.ts';
import type { UpgradeFailure, UpgradeOptions } from './worker-upgrade.ts';

/** Outcome of a lost connection. `refused` means that the worker has ended, or no longer knows the connection. */
export type LossOutcome = 'resumed' | 'refused' | 'expired';

/** Token of a connection, and the time within which the worker accepts a resume. */
export interface ResumeTerms {
  readonly token: string;
  /** Time for which the worker keeps the connection after its socket was lost. */
  readonly withinMs: number;
}

export interface ConnectionResumeOptions extends Pick<UpgradeOptions, 'address' | 'tls'> {
  readonly terms: ResumeTerms;
  /** Returns the number of bytes that this gateway has received on the lost connection. */
  readonly receivedBytes: () => number;
  /** Called with a new socket. `received` is the number of bytes that the worker has received. */
  readonly onResumed: (socket: Duplex, head: Buffer, received: number) => void;
  /** Called if the connection cannot be resumed. */
  readonly onFailed: (outcome: Exclude<LossOutcome, 'resumed'>, reason: string) => void;
}

/** Pause between two attempts. */
const RETRY_MS = 50;
/**
 * Number of attempts for which there is time even if each attempt times out. If a packet of a new connection is lost,
 * TCP repeats the packet only after a second. Another attempt may be faster.
 */
const MAX_TIMEOUTS = 4;

/**
 * Reads the terms from the response of a worker. Returns undefined if the version of the worker cannot resume
 * connections.
 */
export function readResumeTerms(headers: IncomingHttpHeaders): ResumeTerms | undefined {
  const token = headers[RESUME_HEADERS.token];
  const withinMs = parseResumeNumber(headers[RESUME_HEADERS.withinMs]);
  return typeof token === 'string' && withinMs !== undefined ? { token, withinMs } : undefined;
}

/** Tries to resume a lost connection for as long as the worker keeps it. */
export class ConnectionResume {
  readonly #options: ConnectionResumeOptions;
  readonly #untilMs: number;
  #request: ClientRequest | undefined;
  #retry: NodeJS.Timeout | undefined;
  #stopped = false;

  constructor(options: ConnectionResumeOptions) {
    this.#options = options;
    this.#untilMs = performance.now() + options.terms.withinMs;
    this.#attempt();
  }

  /** Stops the attempts. No callback is called afterwards. */
  stop(): void {
    this.#stopped = true;
    clearTimeout(this.#retry);
    this.#request?.destroy();
  }

  #attempt(): void {
    const { address, tls, terms, receivedBytes, onResumed } = this.#options;
    this.#request = requestUpgrade({
      address,
      tls,
      timeoutMs: Math.ceil(terms.withinMs / MAX_TIMEOUTS),
      headers: { [RESUME_HEADERS.token]: terms.token, [RESUME_HEADERS.received]: String(receivedBytes()) },
      onUpgrade: (socket, head, headers) => {
        const received = parseResumeNumber(headers[RESUME_HEADERS.received]);
        if (received !== undefined && !this.#stopped) {
          this.#stopped = true;
          onResumed(socket, head, received);
          return;
        }
        // The worker at this address is of a version that cannot resume connections, so it has opened a new one.
        socket.destroy();
        this.#fail('refused', 'the worker opened another connection');
      },
      onRefused: (status) => this.#fail('refused', `the worker refused to resume it with status ${status}`),
      onError: (failure) => this.#retryAfter(failure),
    });
  }

  #retryAfter({ message, code, isWrongWorker }: UpgradeFailure): void {
    // If no process listens at the address, the worker has ended. Its streams then need not wait for further attempts.
    if (code === 'ECONNREFUSED' || isWrongWorker) this.#fail('refused', message);
    else if (performance.now() + RETRY_MS >= this.#untilMs) this.#fail('expired', message);
    else if (!this.#stopped) this.#retry = setTimeout(() => this.#attempt(), RETRY_MS);
  }

  #fail(outcome: Exclude<LossOutcome, 'resumed'>, reason: string): void {
    if (this.#stopped) return;
    this.stop();
    this.#options.onFailed(outcome, reason);
  }
}
