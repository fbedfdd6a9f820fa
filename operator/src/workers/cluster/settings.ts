import { choice, integer, list, SERVICE_SETTINGS, text } from '@svc-asr/runtime';
import type { Setting, ValuesOf } from '@svc-asr/runtime';
import type { Installation } from './installation.ts';

const REDIS_PORT = 6379;

/** Settings of the operator that are about workers in a cluster. */
export const CLUSTER_SETTINGS = {
  WORKER_IMAGE: text('Image of workers whose ASRModel names none; in a cluster only, like all that follow.', ''),
  WORKER_IMAGE_PULL_POLICY: choice('When it is pulled.', ['IfNotPresent', 'Always', 'Never'], 'IfNotPresent'),
  WORKER_IMAGE_PULL_SECRETS: list('Secrets that images of workers are pulled with, separated by commas.'),
  WORKER_USER_ID: integer('User and group that workers run as; 0 leaves them to the platform.', 65_532, 0),
  WORKER_REDIS_SECRET: text("Secret whose key `url` is the workers' REDIS_URL.", 'svc-asr-worker-redis'),
  WORKER_TICKETS_SECRET: text("Secret whose key `tickets` is the workers' WORKER_TICKETS.", 'svc-asr-worker-tickets'),
  WORKER_TLS_SECRET: text(
    'Secret of type kubernetes.io/tls with the certificate of the port for streams. Empty: they come over plain ws://.',
    '',
  ),
  WORKER_CA_SECRET: text(
    'Secret whose key `ca.crt` has authorities that workers trust beside the well-known ones, for Redis and artifacts. Empty: none.',
    '',
  ),
  WORKER_GATEWAY_LABELS: labels(
    'Labels of the pods that may open streams to workers.',
    'app.kubernetes.io/part-of=svc-asr,app.kubernetes.io/component=gateway',
  ),
  WORKER_OTLP_ENDPOINT: {
    ...SERVICE_SETTINGS.OTEL_EXPORTER_OTLP_ENDPOINT,
    description:
      "The workers' OTEL_EXPORTER_OTLP_ENDPOINT, where spec.worker.env of their ASRModel has none; another one replaces them. Empty: they send nothing.",
  },
  WORKER_EGRESS_PORTS: ports(
    'Ports that workers may reach beside DNS, Redis, the server of their artifact and that of WORKER_OTLP_ENDPOINT.',
  ),
  WORKER_MAX_UNAVAILABLE: share(
    'Workers of a model that may be evicted at a time, as number or percentage of all; 100% never holds up the drain of a node.',
    '25%',
  ),
  WORKER_TERMINATION_TIMEOUT_MS: integer(
    'How long a deleted pod may stay beyond its grace period before nothing waits for it any more: its node may be dead.',
    120_000,
    0,
    86_400_000,
  ),
  WORKER_PENDING_TIMEOUT_MS: integer(
    'How long pods may wait for a node or their volumes before that counts as trouble and new sessions are refused.',
    60_000,
    0,
    3_600_000,
  ),
} as const;

type Settings = ValuesOf<typeof CLUSTER_SETTINGS> & {
  REDIS_URL: string;
  REDIS_KEY_PREFIX: string;
  REDIS_TIMEOUT_MS: number;
};

/** What the settings say of all workers of the installation. */
export function readInstallation(settings: Settings): Installation {
  return {
    image: settings.WORKER_IMAGE,
    imagePullPolicy: settings.WORKER_IMAGE_PULL_POLICY,
    imagePullSecrets: settings.WORKER_IMAGE_PULL_SECRETS,
    userId: settings.WORKER_USER_ID,
    redis: {
      secret: settings.WORKER_REDIS_SECRET,
      prefix: settings.REDIS_KEY_PREFIX,
      timeoutMs: settings.REDIS_TIMEOUT_MS,
      ports: redisPorts(settings.REDIS_URL),
    },
    ticketsSecret: settings.WORKER_TICKETS_SECRET,
    tlsSecret: settings.WORKER_TLS_SECRET,
    caSecret: settings.WORKER_CA_SECRET,
    gatewayLabels: settings.WORKER_GATEWAY_LABELS,
    otlpEndpoint: settings.WORKER_OTLP_ENDPOINT,
    egressPorts: settings.WORKER_EGRESS_PORTS,
    maxUnavailable: settings.WORKER_MAX_UNAVAILABLE,
  };
}

/** The operator's Redis is the workers' too, by another user. */
function redisPorts(urls: string): number[] {
  const found = urls
    .split(',')
    .filter((url) => URL.canParse(url))
    .map((url) => Number(new URL(url).port) || REDIS_PORT);
  return [...new Set(found)];
}

function labels(description: string, fallback: string): Setting<Record<string, string>> {
  return {
    description: `${description} As name=value, separated by commas.`,
    fallback,
    read: (value) =>
      Object.fromEntries(
        list('')
          .read(value)
          .map((label) => {
            const [name = '', ...rest] = label.split('=');
            if (name === '' || rest.length !== 1) throw new Error(`"${label}" is not of the form name=value`);
            return [name, rest.join('')];
          }),
      ),
  };
}

function ports(description: string): Setting<number[]> {
  const port = integer('', 1, 1, 65_535);
  const { read } = list('');
  return {
    description: `${description} Separated by commas.`,
    fallback: '',
    read: (value) => read(value).map(port.read),
  };
}

function share(description: string, fallback: string): Setting<number | string> {
  return {
    description,
    fallback,
    read: (value) => {
      if (/^[1-9][0-9]*$/.test(value)) return Number(value);
      if (/^([1-9][0-9]?|100)%$/.test(value)) return value;
      throw new Error(`"${value}" is neither a number from 1 on nor a percentage from 1% to 100%`);
    },
  };
}
