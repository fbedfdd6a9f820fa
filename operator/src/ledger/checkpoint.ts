/** What a tenant had consumed when it was last written down beside the resources. */
export interface Checkpoint {
  consumedMs: number;
  checkpointAt: string;
}
