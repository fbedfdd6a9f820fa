/** Reason for a NativeError. Codes are stable. */
export type NativeErrorCode =
  /** A library file is missing or cannot be loaded. */
  | 'library_missing'
  /** The library that was found has a different release than the one for which the worker was built. */
  | 'version_mismatch'
  /**
   * ONNX Runtime refused a call. The error contains the message of ONNX Runtime. Also used if the host has no free
   * memory.
   */
  | 'call_failed'
  /** A batch contains an invalid page, slot or range. Nothing was sent to the device. */
  | 'index_invalid';

/** Thrown if a native library cannot be used, if it refuses a call, or if a batch is invalid. */
export class NativeError extends Error {
  override readonly name = 'NativeError';
  readonly code: NativeErrorCode;

  constructor(code: NativeErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/**
 * Thrown if a CUDA call fails. After many kinds of CUDA errors, all later CUDA calls of the process fail too. The
 * process must therefore end after every CUDA error.
 */
export class CudaError extends Error {
  override readonly name = 'CudaError';
}

/** Pattern of messages with which ONNX Runtime reports a failure of CUDA, or of a library that uses CUDA. */
const CUDA_FAILURE = /\b(CUDA|CUBLAS|CUDNN|CUDNN_FE|CUFFT|CURAND)[_ ](failure|error)/i;

/** Returns an error of the right class for a message of ONNX Runtime. */
export function errorOf(call: string, message: string): NativeError | CudaError {
  const text = `${call}: ${message}`;
  return CUDA_FAILURE.test(message) ? new CudaError(text) : new NativeError('call_failed', text);
}
