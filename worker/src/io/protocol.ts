import type { RemoteAccess } from '../engine/client.ts';
import type { EndCode } from '../server/relay-stream.ts';
import type { UsedTicketsMemory } from '../server/used-tickets.ts';
import type { WorkerSettings } from '../settings.ts';

/** Options of an I/O thread. */
export interface IoThreadOptions {
  /** Number of the thread. The first thread has the number 0. */
  readonly index: number;
  readonly workerId: string;
  readonly settings: WorkerSettings;
  /** Access to the inference thread. */
  readonly access: RemoteAccess;
  /**
   * Memory with the used tickets, which all I/O threads share. A thread rejects a ticket that another thread has
   * already accepted.
   */
  readonly usedTickets: UsedTicketsMemory;
  /** Memory of the clock that determines when tickets expire. */
  readonly ticketClock: SharedArrayBuffer;
  /** Memory of the counters of all I/O threads. */
  readonly counters: SharedArrayBuffer;
}

/** Command of the main thread to an I/O thread. */
export type IoCommand =
  /** Stops accepting new streams. */
  | { readonly kind: 'refuse' }
  /**
   * Asks gateways to move their streams to other workers. `withinMs` is the time limit for these moves, if there is
   * one.
   */
  | { readonly kind: 'move'; readonly withinMs?: number }
  /** Asks gateways to move this share of the streams to workers with free slots. */
  | { readonly kind: 'moveExcess'; readonly share: number }
  /** Requests an `emptied` report when all streams have ended, at the latest after `withinMs`. */
  | { readonly kind: 'empty'; readonly withinMs: number }
  /** Ends all streams with the code `engine_failed`. */
  | { readonly kind: 'fail'; readonly message: string }
  /**
   * Requests a `probing` report when a port for a measurement is open, and a `probed` report after the measurement. See
   * `openProbe`.
   */
  | { readonly kind: 'probe'; readonly warmMs: number; readonly measureMs: number }
  /** Ends all streams that are still open, and then the thread. */
  | { readonly kind: 'close' };

/** Report of an I/O thread to the main thread. */
export type IoReport =
  | { readonly kind: 'listening'; readonly port: number }
  | { readonly kind: 'ended'; readonly code: EndCode }
  /** The port for the measurement is open and accepts streams with this ticket. */
  | { readonly kind: 'probing'; readonly port: number; readonly ticket: string }
  /** `cost` is the CPU time of the thread per second of audio. Undefined if no audio arrived. */
  | { readonly kind: 'probed'; readonly cost: number | undefined }
  /** `left` is the number of streams that have not ended. */
  | { readonly kind: 'emptied'; readonly left: number };
