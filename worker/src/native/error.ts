/** Reason for which a native library could not be used. Codes are stable. */
export type NativeErrorCode =
  /** A library file is missing or cannot be loaded. */
  | 'library_missing'
  /** The library that was found is not the release that the worker was built for. */
  | 'version_mismatch'
  /** ONNX Runtime refused a call, and the error has its message. Also used if the host has no memory left. */
  | 'call_failed'
  /** A batch contains an invalid page, slot or range. Nothing was sent to the device. */
  | 'index_invalid';

/** Thrown if a native library cannot be used, or refuses a call. */
export class NativeError extends Error {
  override readonly name = 'NativeError';
  readonly code: NativeErrorCode;

  constructor(code: NativeErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/**
 * Thrown if a CUDA call fails. Many of these errors are sticky: all later calls of the process fail too. The process
 * must therefore end.
 */
export class CudaError extends Error {
  override readonly name = 'CudaError';
}

/** Messages with which ONNX Runtime reports a failure of CUDA or of a library that uses CUDA. */
const CUDA_FAILURE = /\b(CUDA|CUBLAS|CUDNN|CUDNN_FE|CUFFT|CURAND)[_ ](failure|error)/i;

/** Returns the error for a message of ONNX Runtime. */
export function errorOf(call: string, message: string): NativeError | CudaError {
  const text = `${call}: ${message}`;
  return CUDA_FAILURE.test(message) ? new CudaError(text) : new NativeError('call_failed', text);
}
