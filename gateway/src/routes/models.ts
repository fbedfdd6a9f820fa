import type { RequestHandler } from 'express';
import { ApiError, AUDIO, chunkMs, MAX_AUDIO_SECONDS } from '@svc-asr/core';
import type { ContextSize, Model, ModelContext } from '@svc-asr/core';
import type { CatalogueEntry } from '@svc-asr/ledger';
import type { CatalogueView } from '../catalogue.ts';
import { sendJson } from '../http/send-json.ts';

/** Handles GET /v1/models. Returns the last known catalogue, without authentication. */
export function listModels(catalogue: CatalogueView): RequestHandler {
  return (_request, response) => {
    const entries = catalogue.entries();
    if (entries === undefined)
      throw new ApiError('service_unavailable', { message: 'The list of models is not available yet.' });
    const text = JSON.stringify({
      object: 'list',
      data: entries.map((entry) => modelOf(entry, catalogue.contextsOf(entry.id))),
    });
    sendJson(response, 200, text, { 'Access-Control-Allow-Origin': '*' });
  };
}

function modelOf(entry: CatalogueEntry, contexts: readonly ContextSize[]): Model {
  return {
    id: entry.id,
    object: 'model',
    capability: 'asr.streaming',
    language: entry.language,
    language_code: entry.languageCode,
    max_audio_seconds: MAX_AUDIO_SECONDS,
    audio: { encoding: AUDIO.encoding, sample_rate_hz: AUDIO.sampleRateHz, channels: AUDIO.channels },
    contexts: contexts.map(describeContext),
  };
}

function describeContext([left, right]: ContextSize): ModelContext {
  const [defaultLeft, defaultRight] = AUDIO.defaultContext;
  return {
    context_size: [left, right],
    chunk_ms: chunkMs(right),
    default: left === defaultLeft && right === defaultRight,
  };
}
