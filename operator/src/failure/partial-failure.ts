/**
 * Thrown if one part of a reconcile failed, all other parts succeeded, and no other part depends on the failed one. The
 * failure is reported as an error. The queue neither retries the key nor delays its next reconcile.
 */
export class PartialFailure extends Error {}
