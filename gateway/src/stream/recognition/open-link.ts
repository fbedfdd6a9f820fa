import type { ContextSize } from '@svc-asr/core';
import type { PlacedWorker } from '@svc-asr/ledger';
import { signTicket } from '@svc-asr/runtime';
import type { StreamParts, StreamSession } from '../session.ts';
import { WorkerLink } from './worker-link.ts';
import type { LinkEvents } from './worker-link.ts';

/** Stream to open at a worker. */
export interface LinkRequest {
  readonly context: ContextSize;
  readonly traceparent: string | undefined;
  /** Samples that are sent for a second time. */
  readonly replayedSamples: number;
  /** Number of this attempt. A worker accepts each number of a session only once. */
  readonly epoch: number;
  /** Address at which the session had a stream before. A draining worker opens it again only there. */
  readonly previousAddress?: string | undefined;
}

/** Opens a stream at the worker that it was assigned to. Returns the reason if the address cannot be trusted. */
export function openLink(
  { ticketKey, times, workerConnections, workerTrust }: StreamParts,
  { sessionId: session, model }: StreamSession,
  worker: PlacedWorker,
  { epoch, previousAddress, ...request }: LinkRequest,
  events: LinkEvents,
): WorkerLink | { refusal: string } {
  const address = workerConnections.pickAddress(worker, previousAddress);
  const trust = workerTrust.check(model, address);
  if ('refusal' in trust) return trust;
  const ticket = { session, model, worker: worker.id, epoch, expMs: Date.now() + times.ticketMs };
  const options = {
    ...request,
    address,
    tls: trust.tls,
    ticket: signTicket(ticketKey.current, ticket),
    openTimeoutMs: times.workerOpenMs,
  };
  return new WorkerLink(workerConnections, options, events);
}
