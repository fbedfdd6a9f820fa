/** A stream that a gateway process owns. */
export interface OwnedStream {
  tenant: string;
  sessionId: string;
  /** First session of the stream, if this is a later one of a chain. Pools and workers know the stream by it. */
  chainId?: string | undefined;
}

/** Returns the record of a stream that a process owns. */
export function ownedEntry(epoch: number, { tenant, sessionId, chainId }: OwnedStream): string {
  return [epoch, tenant, sessionId, ...(chainId === undefined ? [] : [chainId])].join(' ');
}

/** Reads the record of a stream that a process owns. */
export function readOwned(entry: string): { epoch: number; stream: OwnedStream } {
  const [epoch, tenant = '', sessionId = '', chainId] = entry.split(' ');
  return { epoch: Number(epoch), stream: { tenant, sessionId, chainId } };
}
