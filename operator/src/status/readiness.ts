import { describeProblems } from '@svc-asr/core';
import type { Problem } from '@svc-asr/core';
import { findUnavailable } from '../failure/unavailable.ts';
import { DELETION_WAITS } from './conditions.ts';
import type { Finding } from './conditions.ts';

/**
 * Whether a resource is in force as it is written; `error` is why the last try to bring it there failed.
 *
 * | the resource                      | Ready | reason      |
 * |-----------------------------------|-------|-------------|
 * | is wrong                          | False | InvalidSpec |
 * | waits for Redis or the API server | False | Unavailable |
 * | could not be applied              | False | ApplyFailed |
 * | is in force                       | True  | Applied     |
 */
export function findReadiness(problems: readonly Problem[] | undefined, hasGood: boolean, error: unknown): Finding {
  const not = (reason: string, message: string): Finding => ({ type: 'Ready', status: 'False', reason, message });
  if (problems !== undefined) {
    const effect = hasGood ? 'its last valid state stays in force' : 'it is not applied';
    return not('InvalidSpec', `${effect}: ${describeProblems(problems)}`);
  }
  if (error === undefined) return { type: 'Ready', status: 'True', reason: 'Applied', message: 'it is in force' };
  const words = error instanceof Error ? error.message : 'it failed';
  return not(findUnavailable(error) === undefined ? 'ApplyFailed' : 'Unavailable', `it is tried again: ${words}`);
}

/** That a deleted resource is still there, and why. */
export function findDeletion(why: string): Finding {
  const message = `it is deleted, and is kept until it can be brought out of force: ${why}`;
  return { type: 'Ready', status: 'False', reason: DELETION_WAITS, message };
}
