import type { ConfigAckMessage, FinalMessage, ResetAckMessage } from '@svc-asr/core';
import { createDeferred } from './deferred.ts';
import type { Deferred } from './deferred.ts';
import type { StreamEvent } from './event.ts';
import { SvcAsrStreamError } from './failure.ts';

interface Replies {
  config_ack: ConfigAckMessage;
  reset_ack: ResetAckMessage;
  final: FinalMessage;
}

/** Calls that wait for a reply from the service. */
export interface PendingReplies {
  expect: <K extends keyof Replies>(kind: K) => Promise<Replies[K]>;
  /**
   * Settles the oldest call that waits for this event, if any. An `error` about a `config` rejects the oldest `config`
   * call.
   */
  receive: (event: StreamEvent) => void;
  /** Rejects all waiting calls. */
  fail: (error: Error) => void;
}

/** Matches replies to calls. The service sends the replies of each kind in the order of the calls. */
export function createPendingReplies(): PendingReplies {
  const waiting: { [K in keyof Replies]: Deferred<Replies[K]>[] } = { config_ack: [], reset_ack: [], final: [] };
  return {
    expect: <K extends keyof Replies>(kind: K) => {
      const deferred = createDeferred<Replies[K]>();
      waiting[kind].push(deferred);
      return deferred.promise;
    },
    receive: (event) => {
      if (event.type === 'config_ack') waiting.config_ack.shift()?.resolve(event);
      else if (event.type === 'reset_ack') waiting.reset_ack.shift()?.resolve(event);
      // A final with `endpoint` ends an utterance at a pause and replies to no call. The final of a flush comes later.
      else if (event.type === 'final' && event.endpoint !== true) waiting.final.shift()?.resolve(event);
      else if (event.type === 'error' && isAboutConfig(event.code)) {
        waiting.config_ack.shift()?.reject(new SvcAsrStreamError(event));
      }
    },
    fail: (error) => {
      for (const line of Object.values(waiting)) for (const deferred of line.splice(0)) deferred.reject(error);
    },
  };
}

/** Returns true if an error replies to a `config`. */
export function isAboutConfig(code: string): boolean {
  return code === 'invalid_config' || code === 'config_not_allowed';
}
