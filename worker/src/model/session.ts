import { InferenceSession } from 'onnxruntime-node';
import { ModelError } from './error.ts';

/** Options for running graphs. */
export interface RuntimeOptions {
  /** Execution provider: `cpu`, `cuda`, or another provider that onnxruntime supports. */
  readonly provider: string;
  /** Number of threads that compute one run. */
  readonly threads: number;
  /**
   * Whether every batch is padded to the largest size. When an input shape changes, an accelerator selects its kernels
   * again, which takes longer than many runs. With padding, each graph always gets the same input shape.
   */
  readonly paddedBatches: boolean;
}

/**
 * Opens a graph. The idle threads of the session do not busy-wait, because other streams and processes need the cores.
 */
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
      throw new ModelError('provider_unavailable', `${file}: the provider ${provider} cannot run this graph: ${why}`, {
        cause,
      });
    }
    throw new ModelError('graph_unreadable', `${file}: onnxruntime cannot open the file: ${why}`, { cause });
  }
}
