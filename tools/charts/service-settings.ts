import type { Settings } from '@svc-asr/runtime';
import { CONSOLE_SETTINGS } from '../../console/src/settings.ts';
import { GATEWAY_SETTINGS } from '../../gateway/src/settings.ts';
import { OPERATOR_SETTINGS } from '../../operator/src/settings.ts';

/** Settings of the services that the chart runs. */
export const SERVICES = {
  gateway: GATEWAY_SETTINGS,
  operator: OPERATOR_SETTINGS,
  console: CONSOLE_SETTINGS,
} as const;

export type ServiceName = keyof typeof SERVICES;

/**
 * Settings that the chart sets from its own values. Users cannot also set them by name, so that there is only one way
 * to set each of them.
 */
const DECIDED: Readonly<Record<ServiceName, readonly string[]>> = {
  gateway: [
    ...['ADMIN_PORT', 'PORT', 'REDIS_URL', 'REDIS_KEY_PREFIX', 'PUBLIC_URL', 'TRUSTED_PROXIES', 'API_KEY_PEPPERS'],
    ...[
      'CONSOLE_URL',
      'SESSION_SECRETS',
      'WORKER_TICKET_KEY_FILE',
      'LEDGER_ID_FILE',
      'STREAM_MEMORY_MIB',
      'DRAIN_DELAY_MS',
      'STOP_GRACE_MS',
    ],
    ...['INTERNAL_PORT', 'INTERNAL_TLS_CERT_FILE', 'INTERNAL_TLS_KEY_FILE'],
    ...['TLS_CERT_FILE', 'TLS_KEY_FILE', 'WORKER_CA_FILE', 'WORKER_SERVER_NAME', 'OTEL_EXPORTER_OTLP_ENDPOINT'],
  ],
  operator: [
    ...['ADMIN_PORT', 'REDIS_URL', 'REDIS_KEY_PREFIX', 'KUBERNETES', 'LEASE_NAME', 'LEDGER_CONFIG_MAP', 'WORKER_IMAGE'],
    ...['JOURNAL_FOLDER', 'WORKER_ISSUER_CERT_FILE', 'WORKER_ISSUER_KEY_FILE', 'WORKER_SERVER_NAME'],
    ...['WORKER_CERTIFICATE_DAYS'],
    ...['WORKER_IMAGE_PULL_POLICY', 'WORKER_IMAGE_PULL_SECRETS', 'WORKER_USER_ID', 'WORKER_REDIS_SECRET'],
    ...['WORKER_REDIS_USERS', 'WORKER_TICKET_PUBLIC_KEYS_SECRET', 'WORKER_CA_SECRET', 'WORKER_GATEWAY_LABELS'],
    ...['WORKER_ALLOWED_IMAGES', 'WORKER_ALLOWED_ARTIFACT_HOSTS', 'WORKER_OWN_SECRETS', 'WORKER_OWN_CLAIMS'],
    ...['WORKER_REDIS_LABELS', 'WORKER_OTLP_ENDPOINT', 'WORKER_EGRESS_PORTS', 'WORKER_MAX_UNAVAILABLE'],
    ...['WORKER_NODE_NOTICES', 'WORKER_NODE_NOTICE_KEYS', 'MODEL_NAMESPACES', 'WORKER_TICKET_PUBLIC_KEYS_FILE'],
    ...['WORKER_REDIS_URL_FILE', 'WORKER_CA_FILE'],
    'OTEL_EXPORTER_OTLP_ENDPOINT',
  ],
  console: [
    ...['ADMIN_PORT', 'ADMIN_TOKEN', 'REDIS_URL', 'REDIS_KEY_PREFIX', 'KUBERNETES', 'API_KEY_PEPPERS'],
    ...['ADMIN_API_PORT', 'ADMIN_API_TLS_PORT', 'ADMIN_API_TLS_CERT_FILE', 'ADMIN_API_TLS_KEY_FILE'],
    ...['GATEWAY_INTERNAL_URL', 'GATEWAY_INTERNAL_CA_FILE', 'OPERATOR_LEASE_NAME'],
    ...['CONSOLE_PORT', 'API_URL', 'TRUSTED_PROXIES', 'OTEL_EXPORTER_OTLP_ENDPOINT'],
  ],
};

/**
 * Returns the settings of a service that the chart's values may set. Secrets and settings that the chart sets itself
 * are excluded.
 */
export function freeSettings(service: ServiceName): string[] {
  return entriesOf(service)
    .filter(([name, { secret = false }]) => !secret && !DECIDED[service].includes(name))
    .map(([name]) => name)
    .sort();
}

/** Returns the names of the environment variables that a service reads its settings from. */
export function variablesOf(service: ServiceName): Set<string> {
  return new Set(
    entriesOf(service).flatMap(([name, { secret = false }]) => (secret ? [name, `${name}_FILE`] : [name])),
  );
}

function entriesOf(service: ServiceName): [string, Settings[string]][] {
  const settings: Settings = SERVICES[service];
  return Object.entries(settings);
}

/** Returns whether the chart itself sets the setting of an environment variable. */
export function isDecided(service: ServiceName, variable: string): boolean {
  return DECIDED[service].includes(variable) || DECIDED[service].includes(variable.replace(/_FILE$/, ''));
}
