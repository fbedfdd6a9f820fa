import type { V1ConfigMap } from '@kubernetes/client-node';
import type { WorkerTemplate } from '../../runtime.ts';
import { buildVariables } from '../../variables.ts';
import { buildArtifact } from './artifact.ts';
import { POD_VARIABLES } from './container.ts';
import { FETCHER_VARIABLES } from './fetcher.ts';
import { buildMetadata } from './metadata.ts';
import type { Installation } from '../installation.ts';
import { PATHS, PORTS } from '../installation.ts';
import { revisionName } from '../names.ts';

/** The settings of a revision's workers. It never changes: other settings are another revision. */
export function buildConfigMap(template: WorkerTemplate, installation: Installation) {
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: buildMetadata(template, revisionName(template.model, template.revision), template.revision),
    immutable: true,
    data: { ...buildDefaults(installation), ...buildSettings(template, installation) },
  } satisfies V1ConfigMap;
}

/** What a worker of this template has in its environment, less what differs from pod to pod. */
function buildSettings(template: WorkerTemplate, installation: Installation): Record<string, string> {
  const { redis, tlsSecret, caSecret } = installation;
  const { modelDir } = buildArtifact(template, installation);
  return {
    ...buildVariables(template, { redis, modelDir, drainMs: template.drainSeconds * 1000 }),
    PORT: String(PORTS.stream),
    ADMIN_PORT: String(PORTS.admin),
    REDIS_URL_FILE: `${PATHS.redis}/url`,
    WORKER_TICKETS_FILE: `${PATHS.tickets}/tickets`,
    // Drivers keep caches below it; nothing else can be written to.
    HOME: PATHS.scratch,
    ...(tlsSecret !== '' && { TLS_CERT_FILE: `${PATHS.tls}/tls.crt`, TLS_KEY_FILE: `${PATHS.tls}/tls.key` }),
    ...(caSecret !== '' && { NODE_EXTRA_CA_CERTS: `${PATHS.ca}/ca.crt` }),
  };
}

/** What a model's own `env` may set otherwise: the container has it by name, which goes before a ConfigMap. */
function buildDefaults({ otlpEndpoint }: Installation): Record<string, string> {
  return otlpEndpoint === '' ? {} : { OTEL_EXPORTER_OTLP_ENDPOINT: otlpEndpoint };
}

/** Variables that a model's own `env` must not set: they are the operator's. */
export function findReservedVariables(template: WorkerTemplate, installation: Installation): string[] {
  const settings = Object.keys(buildSettings(template, installation));
  const reserved = new Set([...POD_VARIABLES.map(({ name }) => name), ...settings, ...FETCHER_VARIABLES]);
  return (template.worker.env ?? []).flatMap(({ name }) =>
    typeof name === 'string' && reserved.has(name) ? [name] : [],
  );
}
