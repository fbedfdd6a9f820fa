import { isIP } from 'node:net';
import { list } from './settings.ts';
import type { Setting } from './settings.ts';

const NAMED_NETWORKS = ['loopback', 'linklocal', 'uniquelocal'];

/**
 * Defines a setting that lists networks. An invalid entry is refused at start. Otherwise it would cause an error later,
 * or the service would trust no proxy and log nothing about it.
 */
export function networks(description: string): Setting<string[]> {
  const any = list(`${description} The names ${NAMED_NETWORKS.join(', ')} are also accepted.`);
  return {
    ...any,
    read: (value) => {
      const entries = any.read(value);
      const wrong = entries.find((entry) => !NAMED_NETWORKS.includes(entry) && !isNetwork(entry));
      if (wrong === undefined) return entries;
      throw new Error(
        `"${wrong}" is neither an IP address, nor a network such as 10.0.0.0/8, nor one of ${NAMED_NETWORKS.join(', ')}`,
      );
    },
  };
}

function isNetwork(entry: string): boolean {
  const [address = '', bits, ...more] = entry.split('/');
  const family = address.includes('%') ? 0 : isIP(address);
  if (family === 0 || more.length > 0) return false;
  // A prefix length of 0 is refused, because the service would then trust every client to set its own address.
  return bits === undefined || (/^[1-9]\d{0,2}$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128));
}
