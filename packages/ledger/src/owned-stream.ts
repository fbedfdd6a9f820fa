/** A stream that a gateway process owns. */
export interface OwnedStream {
  tenant: string;
  sessionId: string;
  /**
   * Id of the first session of the stream, if this session is a later one of its chain. Pools and workers know the
   * stream by this id.
   */
  chainId?: string | undefined;
}

/** Formats the record of a stream that a process owns. */
export function ownedEntry(epoch: number, { tenant, sessionId, chainId }: OwnedStream): string {
  return [epoch, tenant, sessionId, ...(chainId === undefined ? [] : [chainId])].join(' ');
}

/** Parses the record of a stream that a process owns. */
export function readOwned(entry: string): { epoch: number; stream: OwnedStream } {
  const [epoch, tenant = '', sessionId = '', chainId] = entry.split(' ');
  return { epoch: Number(epoch), stream: { tenant, sessionId, chainId } };
}
