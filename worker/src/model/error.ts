/** Why a model folder cannot be used. Codes are stable; messages name the file and what is wrong with it. */
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

/** A model folder that cannot be used. */
export class ModelError extends Error {
  override readonly name = 'ModelError';
  readonly code: ModelErrorCode;

  constructor(code: ModelErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
