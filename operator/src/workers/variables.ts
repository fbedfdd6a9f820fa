import type { GuestTemplate, WorkerTemplate } from './template.ts';

export interface VariablesOptions {
  redis: { prefix: string; timeoutMs: number };
  /** Folder with the files of the model. */
  modelDir: string;
  /** Returns the additional variables of a guest for the worker's setting GUESTS. */
  guestVariables: (guest: GuestTemplate, index: number) => Readonly<Record<string, string | number>>;
  /** Time after SIGTERM during which streams are still served, until they end or have moved. */
  drainMs: number;
}

/** Builds the environment variables that every worker needs, whether it is a process or a pod. */
export function buildVariables(template: WorkerTemplate, options: VariablesOptions): Record<string, string> {
  const guests = (template.guests ?? []).map((guest, index) => ({
    MODEL: guest.model,
    SLOTS: guest.slots,
    ...options.guestVariables(guest, index),
  }));
  return {
    REDIS_KEY_PREFIX: options.redis.prefix,
    REDIS_TIMEOUT_MS: String(options.redis.timeoutMs),
    MODEL: template.model,
    MODEL_DIR: options.modelDir,
    PROVIDER: template.worker.provider,
    SLOTS: String(template.worker.slots),
    REVISION: template.revision,
    ...(template.tier !== undefined && { TIER: template.tier }),
    DRAIN_TIMEOUT_MS: String(Math.round(options.drainMs)),
    ...(guests.length > 0 && { GUESTS: JSON.stringify(guests) }),
  };
}
