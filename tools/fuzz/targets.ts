import { join } from 'node:path';

/** A target, and what the fuzzer must know before it imports the target. */
export interface TargetEntry {
  /** Sources whose coverage guides the fuzzer, such as `packages/core/relay`. See `measureCoverage`. */
  readonly measured: readonly string[];
  /** Executions of a run without `--seconds`. Each run takes one to two seconds. */
  readonly executions: number;
  /** Module that exports the target. By default the file in `targets` with the name of the target. */
  readonly module?: string;
}

/** Largest input of any target. */
export const MAX_INPUT_BYTES = 65_536;

export const TARGETS: Readonly<Record<string, TargetEntry>> = {
  'api-key': { measured: ['packages/core/apikey', 'packages/core/crc32'], executions: 8000 },
  'audio-file': {
    measured: ['packages/decoders/', 'packages/client/audio/'],
    executions: 500,
  },
  'client-message': { measured: ['packages/core/stream/', 'packages/core/parse-object'], executions: 15_000 },
  cookie: { measured: ['console/'], executions: 7500 },
  credential: { measured: ['gateway/sessions/', 'packages/runtime/keyring'], executions: 7500 },
  form: { measured: ['gateway/openai/'], executions: 1500 },
  handshake: { measured: ['gateway/stream/handshake/', 'gateway/sessions/'], executions: 8000 },
  'realtime-event': { measured: ['gateway/openai/realtime/'], executions: 750 },
  'relay-connection': { measured: ['packages/runtime/frame-socket', 'packages/core/relay'], executions: 2000 },
  'relay-frame': { measured: ['packages/core/relay-frames'], executions: 3000 },
  'relay-message': { measured: ['packages/core/relay', 'packages/core/validate'], executions: 4000 },
  'relay-upgrade': { measured: ['worker/server/relay-upgrade', 'packages/core/relay-resume'], executions: 7500 },
  'resend-buffer': { measured: ['packages/core/relay-resume'], executions: 7500 },
  'session-request': { measured: ['packages/core/validate', 'packages/core/api/'], executions: 5000 },
  tar: { measured: ['worker/artifact/'], executions: 2500 },
  ticket: { measured: ['packages/runtime/ticket'], executions: 2500 },
  'websocket-frame': { measured: ['gateway/stream/client/whole-frames'], executions: 2500 },
};

/** Returns the file with the code of a target. */
export function moduleOf(name: string, { module }: TargetEntry): string {
  return module ?? join(import.meta.dirname, 'targets', `${name}.ts`);
}
