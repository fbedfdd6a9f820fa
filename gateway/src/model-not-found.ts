import { ApiError, quote } from '@svc-asr/core';

/** Creates the error for a model that does not exist. Its message contains the name, unless `quote` refuses it. */
export function modelNotFound(model: string): ApiError {
  const quoted = quote(model);
  if (quoted === undefined) return new ApiError('model_not_found');
  return new ApiError('model_not_found', {
    message: `The requested ASR model ${quoted} does not exist. GET /v1/models lists those that do.`,
  });
}
