/**
 * A reconcile did everything except for one part that no other part depends on. It is reported as an error. The queue
 * neither retries the key nor delays its next attempt.
 */
export class PartialFailure extends Error {}
