import type { ClientRequest, IncomingHttpHeaders } from 'node:http';
import type { Duplex } from 'node:stream';
import { parseResumeNumber, RESUME_HEADERS } from '@svc-asr/core';
import { requestUpgrade } from './worker-upgrade.ts';
import type { UpgradeFailure, UpgradeOptions } from './worker-upgrade.ts';

/** Outcome of a lost connection. It is `refused` if the worker has ended or no longer knows the connection. */
export type LossOutcome = 'resumed' | 'refused' | 'expired';

/** Token of a connection, and the time within which the worker lets it be resumed. */
export interface ResumeTerms {
  readonly token: string;
  /** Time after a loss for which the worker keeps the connection. */
  readonly withinMs: number;
}

export interface ConnectionResumeOptions extends Pick<UpgradeOptions, 'address' | 'tls'> {
  readonly terms: ResumeTerms;
  /** Returns the number of bytes that were received on the lost connection. */
  readonly receivedBytes: () => number;
  /** Called with a new socket. The worker has received this many bytes. */
  readonly onResumed: (socket: Duplex, head: Buffer, received: number) => void;
  /** Called if the connection cannot be resumed. */
  readonly onFailed: (outcome: Exclude<LossOutcome, 'resumed'>, reason: string) => void;
}

/** Pause between two attempts. */
const RETRY_MS = 50;
/** Maximum number of attempts that time out. TCP repeats a packet that is lost while connecting only after a second. */
const MAX_TIMEOUTS = 4;

/** Returns the terms in the response of a worker. Undefined if its version cannot resume connections. */
export function readResumeTerms(headers: IncomingHttpHeaders): ResumeTerms | undefined {
  const token = headers[RESUME_HEADERS.token];
  const withinMs = parseResumeNumber(headers[RESUME_HEADERS.withinMs]);
  return typeof token === 'string' && withinMs !== undefined ? { token, withinMs } : undefined;
}

/** Attempts to resume one lost connection, for as long as the worker keeps it. */
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

  /** Ends the attempts. No event follows. */
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
        // The process at this address is a worker of a version that cannot resume connections.
        socket.destroy();
        this.#fail('refused', 'the worker opened another connection');
      },
      onRefused: (status) => this.#fail('refused', `the worker refused to resume it with status ${status}`),
      onError: (failure) => this.#retryAfter(failure),
    });
  }

  #retryAfter({ message, code, isWrongWorker }: UpgradeFailure): void {
    // If no process listens at the address, the worker has ended, and its streams need not wait.
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
