/**
 * A reconcile did everything except for one part that no other part depends on. It is reported as an error, but the
 * next attempt is not delayed by a backoff.
 */
export class PartialFailure extends Error {}
