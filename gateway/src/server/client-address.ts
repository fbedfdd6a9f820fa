import type { IncomingMessage } from 'node:http';

/** Decides whether an address is a proxy whose X-Forwarded-For is trusted. `hop` is 0 for the direct peer. */
export type TrustProxy = (address: string, hop: number) => boolean;

/**
 * Returns the address of the client of a request that Express does not handle. It is the first address, from the direct
 * peer backwards, that is not a trusted proxy, as in `request.ip`.
 */
export function clientAddress({ headers, socket }: IncomingMessage, trust: TrustProxy): string {
  const forwarded = [headers['x-forwarded-for'] ?? ''].flat().join(',').split(',');
  const addresses = forwarded.map((address) => address.trim()).filter((address) => address !== '');
  const hops = [socket.remoteAddress ?? '', ...addresses.reverse()];
  return hops.find((address, hop) => !trust(address, hop)) ?? hops.at(-1) ?? '';
}
