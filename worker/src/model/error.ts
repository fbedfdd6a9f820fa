/**
 * Reason for which a model folder cannot be used. Codes are stable. The message of the error names the file and the
 * problem.
 */
export type ModelErrorCode =
  | 'manifest_missing'
  | 'manifest_invalid'
  | 'file_missing'
  | 'checksum_mismatch'
  | 'tokens_invalid'
  | 'graph_unreadable'
  | 'graph_unsupported'
  | 'graph_mismatch'
  | 'provider_unavailable';

/** Thrown if a model folder cannot be used. */
export class ModelError extends Error {
  override readonly name = 'ModelError';
  readonly code: ModelErrorCode;

  constructor(code: ModelErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
