import type { WorkerSettings } from './settings.ts';

type Settings = Pick<WorkerSettings, 'ADVERTISE_ADDRESS' | 'HOST' | 'TLS_CERT_FILE'>;

const DEFAULT_PORTS: Readonly<Record<string, number>> = { 'ws:': 80, 'wss:': 443 };
const WILDCARDS = new Set(['::', '0.0.0.0', '::0']);

/** Returns the URLs at which gateways reach a worker. There is one URL and one port for each I/O thread. */
export function advertisedAddresses(settings: Settings, ports: readonly number[]): string[] {
  return ports.map((port, thread) => advertisedAddress(settings, port, thread));
}

function advertisedAddress(settings: Settings, port: number, thread: number): string {
  if (settings.ADVERTISE_ADDRESS !== '') return withPortAfter(settings.ADVERTISE_ADDRESS, thread);
  const { HOST: host } = settings;
  if (WILDCARDS.has(host)) {
    throw new Error(
      `HOST ${host} is a wildcard address that gateways cannot connect to; set ADVERTISE_ADDRESS or another HOST`,
    );
  }
  const scheme = settings.TLS_CERT_FILE === '' ? 'ws' : 'wss';
  return `${scheme}://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/** Adds a number to the port of a URL. */
function withPortAfter(address: string, offset: number): string {
  if (offset === 0) return address;
  const { protocol, hostname, port, pathname } = new URL(address);
  const first = port === '' ? DEFAULT_PORTS[protocol] : Number(port);
  return `${protocol}//${hostname}:${(first ?? 0) + offset}${pathname.replace(/\/$/, '')}`;
}
