import type { ConfigAckMessage, FinalMessage, ResetAckMessage } from '@svc-asr/core';
import { createDeferred } from './deferred.ts';
import type { Deferred } from './deferred.ts';
import type { StreamEvent } from './event.ts';
import { SvcAsrStreamError } from './failure.ts';

interface Answer {
  config_ack: ConfigAckMessage;
  reset_ack: ResetAckMessage;
  final: FinalMessage;
}

/** Questions to the service that wait for their answers. */
export interface Answers {
  expect: <K extends keyof Answer>(kind: K) => Promise<Answer[K]>;
  /** Gives an event to the one who waits for it, if anyone does. */
  receive: (event: StreamEvent) => void;
  /** No answers come any more. */
  fail: (error: Error) => void;
}

/** Matches answers to questions: the service answers each kind in the order in which it was asked. */
export function createAnswers(): Answers {
  const lines: { [K in keyof Answer]: Deferred<Answer[K]>[] } = { config_ack: [], reset_ack: [], final: [] };
  return {
    expect: <K extends keyof Answer>(kind: K) => {
      const deferred = createDeferred<Answer[K]>();
      lines[kind].push(deferred);
      return deferred.promise;
    },
    receive: (event) => {
      if (event.type === 'config_ack') lines.config_ack.shift()?.resolve(event);
      else if (event.type === 'reset_ack') lines.reset_ack.shift()?.resolve(event);
      else if (event.type === 'final') lines.final.shift()?.resolve(event);
      else if (event.type === 'error' && isAboutConfig(event.code)) {
        lines.config_ack.shift()?.reject(new SvcAsrStreamError(event));
      }
    },
    fail: (error) => {
      for (const line of Object.values(lines)) for (const deferred of line.splice(0)) deferred.reject(error);
    },
  };
}

function isAboutConfig(code: string): boolean {
  return code === 'invalid_config' || code === 'config_not_allowed';
}
