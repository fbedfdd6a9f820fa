import { describeProblems } from '@svc-asr/core';
import type { Problem } from '@svc-asr/core';
import { findUnavailable } from '../failure/unavailable.ts';
import { DELETION_WAITS } from './conditions.ts';
import type { Finding } from './conditions.ts';

/**
 * Returns the condition Ready of a resource. `error` is the error of the last attempt to apply it.
 *
 * | the resource | Ready | reason |
 * |-----------------------------------|-------|-------------|
 * | is invalid | False | InvalidSpec |
 * | waits for Redis, the ledger or the API server | False | Unavailable |
 * | could not be applied | False | ApplyFailed |
 * | is applied | True | Applied |
 */
export function findReadiness(problems: readonly Problem[] | undefined, hasGood: boolean, error: unknown): Finding {
  const not = (reason: string, message: string): Finding => ({ type: 'Ready', status: 'False', reason, message });
  if (problems !== undefined) {
    const effect = hasGood
      ? 'the resource is invalid and its last valid version stays effective'
      : 'the resource is invalid and not applied';
    return not('InvalidSpec', `${effect}: ${describeProblems(problems)}`);
  }
  if (error === undefined)
    return { type: 'Ready', status: 'True', reason: 'Applied', message: 'the resource is applied' };
  const message = error instanceof Error ? error.message : 'it failed';
  return not(
    findUnavailable(error) === undefined ? 'ApplyFailed' : 'Unavailable',
    `retrying after an error: ${message}`,
  );
}

/** Returns the condition Ready of a resource whose name belongs to another one. */
export function findDuplicate(problems: readonly Problem[]): Finding {
  const message = `the resource is not applied: ${problems.map((problem) => problem.message).join('; ')}`;
  return { type: 'Ready', status: 'False', reason: 'NameTaken', message };
}

/** Returns the condition Ready of a deleted resource that still exists. */
export function findDeletion(why: string): Finding {
  const message = `the resource was deleted and waits for its cleanup: ${why}`;
  return { type: 'Ready', status: 'False', reason: DELETION_WAITS, message };
}
