import type { PlacedWorker } from '@svc-asr/ledger';
import { signTicket } from '@svc-asr/runtime';
import type { Configuration, MissingPart } from '../configuration.ts';
import type { StreamParts, StreamSession } from '../session.ts';
import { Repetition } from './repetition.ts';
import type { Utterances } from './utterances.ts';
import { WorkerLink } from './worker-link.ts';
import type { LinkEvents } from './worker-link.ts';

/** Request to open a stream at a worker. */
export interface LinkRequest {
  readonly configuration: Configuration;
  /** Unanswered utterances of the stream. Their audio is replayed to the worker. */
  readonly utterances: Utterances;
  readonly traceparent: string | undefined;
  /** Number of this attempt to open the session's stream. A worker accepts each number only once. */
  readonly epoch: number;
  /**
   * Address at which this session was served before it was reopened. Each I/O thread of a worker has its own address.
   * While a worker drains, only the thread that has served the session before accepts it again.
   */
  readonly previousAddress?: string | undefined;
}

/**
 * Opens a stream at the worker to which it was assigned. Returns the refusal if the address of the worker cannot be
 * trusted.
 */
export function openLink(
  { ledger, ticketKey, times, workerConnections, workerTrust }: StreamParts,
  { sessionId: session, model }: StreamSession,
  worker: PlacedWorker,
  { configuration, utterances, traceparent, epoch, previousAddress }: LinkRequest,
  events: LinkEvents,
): WorkerLink | { refusal: string } {
  const address = workerConnections.pickAddress(worker, previousAddress);
  const trust = workerTrust.check(model, address);
  if ('refusal' in trust) return trust;
  // The expiry counts from the later time of two clocks: the clock of this machine and the clock of Redis. The worker
  // compares the expiry with the earlier time of its own clock and the clock of Redis. Therefore a ticket never expires
  // too early if only one of these clocks is wrong.
  const nowMs = Math.max(Date.now(), ledger.now());
  const ticket = { session, model, worker: worker.id, epoch, expMs: nowMs + times.ticketMs };
  const { context, silenceMs, phrases } = configuration;
  const notBefore = utterances.head.deliveredSamples;
  const options = {
    context,
    endpointing: silenceMs === undefined ? undefined : { silenceMs, notBefore },
    phrases,
    traceparent,
    replayedSamples: utterances.held,
    address,
    tls: trust.tls,
    ticket: signTicket(ticketKey.current, ticket),
    openTimeoutMs: times.workerOpenMs,
  };
  const link = new WorkerLink(workerConnections, options, events);
  if (notBefore > 0) link.notBeforeOf = utterances.head;
  return link;
}

/**
 * Call before a replay to a worker that has opened the stream. Returns the utterances that the worker will answer
 * although the client already has their answers. The request to open the stream contains `not_before` for the utterance
 * that was the oldest at that time. If that utterance was answered after the request, `not_before` must not apply to
 * the next utterance. In that case, this function makes the worker first reset an empty utterance, to which
 * `not_before` applies.
 */
export function startReplay(link: WorkerLink, { head }: Utterances): Repetition {
  const repetition = new Repetition();
  if (link.notBeforeOf === undefined || link.notBeforeOf === head) return repetition;
  link.mark('reset');
  repetition.add({ type: 'reset_done' });
  return repetition;
}

/** Reasons why a stream leaves a worker that has not applied a part of the stream's configuration. */
export const MISSING_PARTS: Readonly<Record<MissingPart, string>> = {
  endpointing: 'the worker is of a version without endpointing',
  phrases: 'the model of the worker does not support phrases',
  phrasesNotYet: 'the worker is of a version without phrases',
};
