import type { WorkerSettings } from './settings.ts';

type Settings = Pick<WorkerSettings, 'ADVERTISE_ADDRESS' | 'HOST' | 'TLS_CERT_FILE'>;

const WILDCARDS = new Set(['::', '0.0.0.0', '::0']);

/** Returns the URL at which gateways reach a worker that listens on this port. */
export function advertisedAddress(settings: Settings, port: number): string {
  if (settings.ADVERTISE_ADDRESS !== '') return settings.ADVERTISE_ADDRESS;
  const { HOST: host } = settings;
  if (WILDCARDS.has(host)) {
    throw new Error(
      `HOST ${host} is a wildcard address that gateways cannot connect to; set ADVERTISE_ADDRESS or another HOST`,
    );
  }
  const scheme = settings.TLS_CERT_FILE === '' ? 'ws' : 'wss';
  return `${scheme}://${host.includes(':') ? `[${host}]` : host}:${port}`;
}
