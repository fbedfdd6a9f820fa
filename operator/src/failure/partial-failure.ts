/**
 * Everything was done except for a part that does not hinder the rest. It is reported as an error, but the next attempt
 * is not delayed.
 */
export class PartialFailure extends Error {}
