import type { WorkerTemplate } from './runtime.ts';

export interface VariablesOptions {
  redis: { prefix: string; timeoutMs: number };
  /** Where the worker finds the model's files. */
  modelDir: string;
  /** How long streams may take to go elsewhere after SIGTERM. */
  drainMs: number;
}

/** The settings that every worker is given by its environment, wherever it runs. */
export function buildVariables(template: WorkerTemplate, options: VariablesOptions): Record<string, string> {
  return {
    REDIS_KEY_PREFIX: options.redis.prefix,
    REDIS_TIMEOUT_MS: String(options.redis.timeoutMs),
    MODEL: template.model,
    MODEL_DIR: options.modelDir,
    PROVIDER: template.worker.provider,
    SLOTS: String(template.worker.slots),
    REVISION: template.revision,
    DRAIN_TIMEOUT_MS: String(Math.round(options.drainMs)),
  };
}
