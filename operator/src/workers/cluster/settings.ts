import { isSentinelAddress, SENTINEL_PORT } from '@svc-asr/ledger';
import { choice, integer, list, readableFile, SERVICE_SETTINGS, text } from '@svc-asr/runtime';
import type { Setting, ValuesOf } from '@svc-asr/runtime';
import { checkHostEntry } from './admission/host.ts';
import { checkImageEntry } from './admission/image.ts';
import type { Installation } from './installation.ts';
import { createCertificateSource } from './secret/certificate-source.ts';
import type { SecretSource } from './secret/model-secret.ts';

const REDIS_PORT = 6379;

/** Operator settings for workers in a cluster. */
export const CLUSTER_SETTINGS = {
  WORKER_IMAGE: text(
    'Image of workers whose ASRModel does not set one. In a cluster only, like all settings below that start with WORKER_, except WORKER_TICKET_PUBLIC_KEYS_FILE.',
    '',
  ),
  WORKER_IMAGE_PULL_POLICY: choice(
    'Pull policy of worker images.',
    ['IfNotPresent', 'Always', 'Never'],
    'IfNotPresent',
  ),
  WORKER_IMAGE_PULL_SECRETS: list('Pull Secrets for worker images, separated by commas.'),
  WORKER_ALLOWED_IMAGES: checked(
    'Images that ASRModels may set in spec.worker.image, besides those of the repository of WORKER_IMAGE. Each is a repository, a complete reference, PREFIX/* or *.',
    checkImageEntry,
  ),
  WORKER_ALLOWED_ARTIFACT_HOSTS: checked(
    'Hosts that artifacts may come from: HOST, HOST:PORT or *.DOMAIN. Without a port, port 443 is meant. If empty, every host is allowed, but credentials are sent to no host. * allows every host, also with credentials.',
    checkHostEntry,
  ),
  WORKER_OWN_SECRETS: list(
    'Secrets of the service that no ASRModel may use, besides Secrets that have the labels of the service or that other settings name. Separated by commas.',
  ),
  WORKER_OWN_CLAIMS: list(
    'PersistentVolumeClaims of the service that no ASRModel may use. A trailing * stands for any characters. Separated by commas.',
  ),
  WORKER_USER_ID: integer(
    'User and group id of the worker containers. 0 leaves the choice to the platform.',
    65_532,
    0,
  ),
  WORKER_REDIS_USERS: choice(
    'Redis users of the workers. With `model`, the operator creates a user for each model, which reaches only the pool of its model. For this, the operator needs the rights to ACL SETUSER and ACL DELUSER. With `shared`, all workers have the URL in WORKER_REDIS_SECRET.',
    ['model', 'shared'],
    'model',
  ),
  WORKER_REDIS_SECRET: text(
    "Secret whose key `url` is the workers' REDIS_URL, if WORKER_REDIS_USERS is `shared`.",
    'svc-asr-worker-redis',
  ),
  WORKER_TICKET_PUBLIC_KEYS_SECRET: text(
    "Secret whose key `keys.pem` is the workers' WORKER_TICKET_PUBLIC_KEYS_FILE. It must not contain the private key.",
    'svc-asr-worker-ticket-public-keys',
  ),
  WORKER_TICKET_PUBLIC_KEYS_FILE: readableFile(
    'File with the content of `keys.pem` in WORKER_TICKET_PUBLIC_KEYS_SECRET. The operator copies it for the workers in MODEL_NAMESPACES, which cannot mount that Secret. Worker processes of WORKER_PROGRAM inherit the variable.',
  ),
  WORKER_REDIS_URL_FILE: readableFile(
    'File with the content of `url` in WORKER_REDIS_SECRET, for the workers in MODEL_NAMESPACES if WORKER_REDIS_USERS is `shared`.',
  ),
  WORKER_ISSUER_CERT_FILE: readableFile(
    'Certificate (PEM) of the CA with which the operator issues a certificate for the workers of each model. If empty, streams use plain ws://.',
  ),
  WORKER_ISSUER_KEY_FILE: readableFile('Private key (PEM) of the CA in WORKER_ISSUER_CERT_FILE.'),
  WORKER_SERVER_NAME: text(
    'Domain of the certificates of workers, the same as for gateways. The certificate of a model is for MODEL.WORKER_SERVER_NAME.',
    'workers.svc-asr.internal',
  ),
  WORKER_CERTIFICATE_DAYS: integer(
    'Validity of the certificates of workers in days. The operator renews a certificate after two thirds of its validity.',
    90,
    1,
    3650,
  ),
  WORKER_CA_SECRET: text(
    'Secret whose key `ca.crt` contains CA certificates that workers trust in addition to the system CAs, for Redis and artifacts.',
    '',
  ),
  WORKER_CA_FILE: readableFile(
    'File with the content of `ca.crt` in WORKER_CA_SECRET, for the workers in MODEL_NAMESPACES.',
  ),
  WORKER_GATEWAY_LABELS: labels(
    'Labels of the pods that may open streams to workers.',
    'app.kubernetes.io/part-of=svc-asr,app.kubernetes.io/component=gateway',
  ),
  WORKER_REDIS_LABELS: labels(
    'Labels of the Redis pods, if Redis runs in NAMESPACE. If empty, workers may connect to the port of Redis at any address.',
    '',
  ),
  WORKER_OTLP_ENDPOINT: {
    ...SERVICE_SETTINGS.OTEL_EXPORTER_OTLP_ENDPOINT,
    description:
      'OTEL_EXPORTER_OTLP_ENDPOINT of workers whose ASRModel does not set it in spec.worker.env. Changing it replaces the workers. If empty, these workers send no telemetry.',
  },
  WORKER_EGRESS_PORTS: ports(
    'Further ports that workers may connect to, besides DNS, Redis, their artifact server and WORKER_OTLP_ENDPOINT.',
  ),
  WORKER_MAX_UNAVAILABLE: share(
    "Maximum number or percentage of a model's workers that may be evicted at the same time. Fewer may be evicted if their streams do not fit into the free slots of the other workers. With 100%, the operator never delays the drain of a node.",
    '25%',
  ),
  WORKER_NODE_NOTICES: choice(
    'Whether the operator watches nodes, and moves workers away from nodes that are about to be removed or are cordoned. Needs the right to list and watch nodes.',
    ['true', 'false'],
    'false',
  ),
  WORKER_NODE_NOTICE_KEYS: list(
    'Keys of taints and annotations that announce the removal of a node, besides those of well-known autoscalers and clouds. Separated by commas.',
  ),
  WORKER_TERMINATION_TIMEOUT_MS: integer(
    'Time that a deleted pod may stay beyond its grace period. Then the operator stops waiting for it, because its node may be down.',
    120_000,
    0,
    86_400_000,
  ),
} as const;

type Settings = ValuesOf<typeof CLUSTER_SETTINGS> & {
  REDIS_URL: string;
  REDIS_KEY_PREFIX: string;
  REDIS_TIMEOUT_MS: number;
};

/** Reads the settings that all workers of the installation share. */
export function readInstallation(settings: Settings): Installation {
  return {
    image: settings.WORKER_IMAGE,
    imagePullPolicy: settings.WORKER_IMAGE_PULL_POLICY,
    imagePullSecrets: settings.WORKER_IMAGE_PULL_SECRETS,
    allowedImages: settings.WORKER_ALLOWED_IMAGES,
    allowedArtifactHosts: settings.WORKER_ALLOWED_ARTIFACT_HOSTS,
    ownSecrets: listOwnSecrets(settings),
    ownClaims: settings.WORKER_OWN_CLAIMS,
    userId: settings.WORKER_USER_ID,
    redis: {
      secret: settings.WORKER_REDIS_USERS === 'shared' ? settings.WORKER_REDIS_SECRET : undefined,
      prefix: settings.REDIS_KEY_PREFIX,
      timeoutMs: settings.REDIS_TIMEOUT_MS,
      ports: redisPorts(settings.REDIS_URL),
      labels: settings.WORKER_REDIS_LABELS,
    },
    ticketPublicKeysSecret: settings.WORKER_TICKET_PUBLIC_KEYS_SECRET,
    tls: settings.WORKER_ISSUER_CERT_FILE !== '',
    caSecret: settings.WORKER_CA_SECRET,
    gatewayLabels: settings.WORKER_GATEWAY_LABELS,
    otlpEndpoint: settings.WORKER_OTLP_ENDPOINT,
    egressPorts: settings.WORKER_EGRESS_PORTS,
    maxUnavailable: settings.WORKER_MAX_UNAVAILABLE,
  };
}

/** Creates the source of the certificates in the Secrets of the models. Returns an empty list if no CA is set. */
export function readSecretSources(settings: Settings): SecretSource[] {
  const { WORKER_ISSUER_CERT_FILE: caCertFile, WORKER_ISSUER_KEY_FILE: caKeyFile } = settings;
  if (caCertFile === '') return [];
  const { WORKER_SERVER_NAME: serverName, WORKER_CERTIFICATE_DAYS: validityDays } = settings;
  return [createCertificateSource({ caCertFile, caKeyFile, serverName, validityDays, nowMs: Date.now })];
}

/** Returns the names of all Secrets of the installation that the settings name. */
function listOwnSecrets(settings: Settings): string[] {
  const mounted = Object.entries(settings).flatMap(([setting, name]) =>
    /^WORKER_.*_SECRET$/.test(setting) && typeof name === 'string' ? [name] : [],
  );
  const names = [...mounted, ...settings.WORKER_IMAGE_PULL_SECRETS, ...settings.WORKER_OWN_SECRETS];
  return [...new Set(names.filter((name) => name !== ''))];
}

/**
 * Returns the ports of the operator's Redis. Workers use the same Redis with another user. The addresses of sentinels
 * do not contain the port of Redis itself. It is assumed to be the default port, and `WORKER_EGRESS_PORTS` can add
 * another one.
 */
function redisPorts(urls: string): number[] {
  const found = urls
    .split(',')
    .filter((url) => URL.canParse(url))
    .map((url) => new URL(url))
    .flatMap(({ href, port }) =>
      isSentinelAddress(href) ? [Number(port) || SENTINEL_PORT, REDIS_PORT] : [Number(port) || REDIS_PORT],
    );
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

function checked(description: string, check: (entry: string) => string): Setting<string[]> {
  const { read } = list('');
  return { description: `${description} Separated by commas.`, fallback: '', read: (value) => read(value).map(check) };
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
      throw new Error(`"${value}" is neither a positive integer nor a percentage from 1% to 100%`);
    },
  };
}
