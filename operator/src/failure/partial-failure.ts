/**
 * Thrown if a reconcile did everything except one part, on which no other part depends. The failure of this part is
 * reported as an error. The queue neither retries the key nor delays its next attempt.
 */
export class PartialFailure extends Error {}
