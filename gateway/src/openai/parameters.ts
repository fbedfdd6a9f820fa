import { ApiError, receivedNote, RESPONSE_FORMATS } from '@svc-asr/core';
import type { ResponseFormat } from '@svc-asr/core';
import type { FileForm } from './form.ts';

/** Parameters of a transcription. */
export interface TranscriptionParameters {
  readonly model: string;
  readonly format: ResponseFormat;
  /** True if `verbose_json` lists words instead of segments. */
  readonly hasWords: boolean;
  /** True if the response consists of server-sent events. */
  readonly isStreamed: boolean;
}

/**
 * Reads the parameters in a form. Fields that tune other recognizers, such as `prompt` and `temperature`, are ignored.
 */
export function readParameters({ fields }: Pick<FileForm, 'fields'>): TranscriptionParameters {
  const last = (name: string) => fields.get(name)?.at(-1);
  const model = last('model');
  if (model === undefined || model === '') {
    throw new ApiError('invalid_parameters', { message: 'The field "model" is missing. GET /v1/models lists models.' });
  }
  const format = last('response_format') ?? 'json';
  if (!isFormat(format)) {
    const formats = RESPONSE_FORMATS.join(', ');
    const message = `The field "response_format" must be one of ${formats}${receivedNote(format)}.`;
    throw new ApiError('invalid_parameters', { message });
  }
  const isStreamed = last('stream')?.toLowerCase() === 'true';
  if (isStreamed && format !== 'json' && format !== 'text') {
    const message = 'With "stream", the field "response_format" must be json or text. Events have no times.';
    throw new ApiError('invalid_parameters', { message });
  }
  const granularities = fields.get('timestamp_granularities[]') ?? [];
  return { model, format, hasWords: granularities.includes('word'), isStreamed };
}

function isFormat(text: string): text is ResponseFormat {
  return RESPONSE_FORMATS.some((format) => format === text);
}
