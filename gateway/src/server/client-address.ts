import type { IncomingMessage } from 'node:http';

/**
 * Decides whether an address belongs to a proxy whose X-Forwarded-For header is trusted. `hop` is 0 for the direct
 * peer.
 */
export type TrustProxy = (address: string, hop: number) => boolean;

/**
 * Returns the client address of a request that Express does not handle, in the same way as `request.ip`. This is the
 * first address that is not a trusted proxy, counted from the direct peer.
 */
export function clientAddress({ headers, socket }: IncomingMessage, trust: TrustProxy): string {
  const forwarded = [headers['x-forwarded-for'] ?? ''].flat().join(',').split(',');
  const addresses = forwarded.map((address) => address.trim()).filter((address) => address !== '');
  const hops = [socket.remoteAddress ?? '', ...addresses.reverse()];
  return hops.find((address, hop) => !trust(address, hop)) ?? hops.at(-1) ?? '';
}
