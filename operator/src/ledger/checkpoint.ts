/** Consumption of a tenant at a point in time, stored outside of Redis. */
export interface Checkpoint {
  consumedMs: number;
  checkpointAt: string;
}
