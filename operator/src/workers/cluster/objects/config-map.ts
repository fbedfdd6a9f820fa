import type { V1ConfigMap } from '@kubernetes/client-node';
import type { WorkerTemplate } from '../../template.ts';
import { buildVariables } from '../../variables.ts';
import { buildArtifact } from './artifact.ts';
import { POD_VARIABLES } from './container.ts';
import { FETCHER_VARIABLES } from './fetcher.ts';
import { buildGuest } from './guest.ts';
import { buildMetadata } from './metadata.ts';
import type { Installation } from '../installation.ts';
import { PATHS, PORTS } from '../installation.ts';
import { revisionName } from '../names.ts';

/** Builds the settings of a revision's workers. They are immutable, because other settings lead to another revision. */
export function buildConfigMap(template: WorkerTemplate, installation: Installation) {
  const { model, revision, tier } = template;
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: buildMetadata(template, revisionName(model, revision, tier), revision, tier),
    immutable: true,
    data: { ...buildDefaults(installation), ...buildSettings(template, installation) },
  } satisfies V1ConfigMap;
}

/** Builds the environment variables that are the same for all pods of a template. */
function buildSettings(template: WorkerTemplate, installation: Installation): Record<string, string> {
  const { redis, tls, caSecret } = installation;
  const { modelDir } = buildArtifact(template, installation);
  return {
    ...buildVariables(template, {
      redis,
      modelDir,
      guestVariables: (guest, index) => buildGuest(template, guest, index, installation).variables,
      drainMs: template.drainSeconds * 1000,
    }),
    PORT: String(PORTS.stream),
    ADMIN_PORT: String(PORTS.admin),
    REDIS_URL_FILE: `${PATHS.redis}/url`,
    WORKER_TICKET_PUBLIC_KEYS_FILE: `${PATHS.tickets}/keys.pem`,
    // This is the only writable folder. Drivers keep caches in the home folder.
    HOME: PATHS.scratch,
    ...(tls && { TLS_CERT_FILE: `${PATHS.tls}/tls.crt`, TLS_KEY_FILE: `${PATHS.tls}/tls.key` }),
    ...(caSecret !== '' && { NODE_EXTRA_CA_CERTS: `${PATHS.ca}/ca.crt` }),
  };
}

/**
 * Builds variables that `spec.worker.env` may override, because `env` of a container takes precedence over a ConfigMap.
 */
function buildDefaults({ otlpEndpoint }: Installation): Record<string, string> {
  return otlpEndpoint === '' ? {} : { OTEL_EXPORTER_OTLP_ENDPOINT: otlpEndpoint };
}

/** Returns the variables of `spec.worker.env` that are not allowed there, because the operator sets them itself. */
export function findReservedVariables(template: WorkerTemplate, installation: Installation): string[] {
  const settings = Object.keys(buildSettings(template, installation));
  const reserved = new Set([
    ...POD_VARIABLES.map(({ name }) => name),
    ...settings,
    ...FETCHER_VARIABLES,
    'GUESTS',
    'TIER',
  ]);
  return (template.worker.env ?? []).flatMap(({ name }) =>
    typeof name === 'string' && reserved.has(name) ? [name] : [],
  );
}
