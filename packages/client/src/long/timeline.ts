import type { FinalMessage } from '@svc-asr/core';
import type { StreamConfig } from '../stream/options.ts';
import { ChangeSignal } from './change-signal.ts';
import { HeldAudio } from './held-audio.ts';
import type { Operation } from './operation.ts';

/** State of a long stream, kept from one session to the next. Positions are samples from the start of the stream. */
export class Timeline {
  readonly audio = new HeldAudio();
  /** Calls without a reply, in the order of the calls. */
  readonly operations: Operation[] = [];
  /** Notified after every change after which a waiting session may have something to send. */
  readonly changes = new ChangeSignal();
  /** Length of all audio. Infinity if it is unknown. */
  readonly totalSamples: number;
  /** Position from which a new session needs the audio. Everything before it has a `final` or was dropped. */
  resumeAt = 0;
  /** Number of the current utterance. */
  utterance = 1;
  config: StreamConfig | undefined;
  /** Last `final` that no flush requested, and the position of its end. */
  unrequested: { final: FinalMessage; at: number } | undefined;
  /** True if the application has called `close`. */
  isClosing = false;
  /** True if the call of `close` has closed the last session. */
  isClosed = false;

  constructor(totalSamples: number | undefined) {
    this.totalSamples = totalSamples ?? Infinity;
  }

  /** Marks the audio before a position as done. This audio is dropped and cannot be sent again. */
  completeUntil(position: number): void {
    this.resumeAt = Math.max(this.resumeAt, position);
    this.audio.dropBefore(this.resumeAt);
  }

  /** Returns true if a session is necessary, because some audio has no `final` or some call has no reply. */
  hasWork(): boolean {
    return this.audio.end > this.resumeAt || this.operations.length > 0;
  }
}
