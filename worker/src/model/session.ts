import { InferenceSession } from 'onnxruntime-node';
import { ModelError } from './error.ts';

/** How graphs are executed. */
export interface RuntimeOptions {
  /** Execution provider: `cpu`, `cuda`, or another one that the runtime knows. */
  readonly provider: string;
  /** Threads inside one run. */
  readonly threads: number;
  /**
   * Whether every batch is filled up to the largest. An accelerator plans its kernels anew whenever the shape of a
   * graph's inputs changes, which takes longer than many runs; one shape for each graph avoids it.
   */
  readonly paddedBatches: boolean;
}

/** Opens a graph. Threads that wait do not spin: their cores belong to other streams and processes. */
export async function createSession(
  path: string,
  file: string,
  { provider, threads }: RuntimeOptions,
): Promise<InferenceSession> {
  try {
    return await InferenceSession.create(path, {
      executionProviders: [provider],
      intraOpNumThreads: threads,
      interOpNumThreads: 1,
      executionMode: 'sequential',
      graphOptimizationLevel: 'all',
      logSeverityLevel: 3,
      extra: { session: { intra_op: { allow_spinning: '0' }, inter_op: { allow_spinning: '0' } } },
    });
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    if (provider !== 'cpu') {
      throw new ModelError('provider_unavailable', `${file}: provider ${provider} cannot run it: ${why}`, { cause });
    }
    throw new ModelError('graph_unreadable', `${file}: the runtime cannot open it: ${why}`, { cause });
  }
}
