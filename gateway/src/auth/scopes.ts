import type { RequestHandler } from 'express';
import { ApiError } from '@svc-asr/core';
import type { KeyScope } from '@svc-asr/core';
import { exchangeOf } from '../http/exchange.ts';
import type { KeyLimits } from '../http/exchange.ts';
import { modelNotFound } from '../model-not-found.ts';

/** Refuses a request with 403 if its API key lacks a scope. It must run after `authenticate`. */
export function requireScope(scope: KeyScope): RequestHandler {
  return (_request, response, next) => {
    checkScope(exchangeOf(response).keyLimits, scope);
    next();
  };
}

/** Throws 403 if the API key lacks a scope. */
export function checkScope(limits: KeyLimits | undefined, scope: KeyScope): void {
  const { scopes } = limitsOf(limits);
  if (scopes === undefined || scopes.includes(scope)) return;
  throw new ApiError('key_scope_denied', {
    message: `This API key lacks the scope ${scope}. It has: ${listOf(scopes)}. Use another key of the account.`,
  });
}

/**
 * Throws if the API key may not use a model. Call it before the Idempotency-Key is looked up. Another API key of the
 * account may have created a session with the same Idempotency-Key. If the check came later, the caller would get that
 * session even if its own API key may not use the model.
 */
export function requireModel(limits: KeyLimits | undefined, model: string, modelExists: boolean): void {
  const { models } = limitsOf(limits);
  if (models === undefined || models.includes(model)) return;
  if (!modelExists) throw modelNotFound(model);
  throw new ApiError('model_scope_denied', {
    message: `This API key may not use the model ${model}. It may use: ${listOf(models)}.`,
  });
}

/** Returns the limits of an authenticated key. Throws if the request was not authenticated. */
function limitsOf(limits: KeyLimits | undefined): KeyLimits {
  if (limits === undefined) throw new Error('the limits of an API key were checked before the key was authenticated');
  return limits;
}

function listOf(names: readonly string[]): string {
  return names.length === 0 ? 'none' : names.join(', ');
}
