import { MAX_IO_THREADS } from '@svc-asr/core';

/** Settings that all workers of an installation share. */
export interface Installation {
  /**
   * Namespace of gateways and Redis if the workers run in another namespace. The Secret of each model then contains
   * copies of the values that workers need from Secrets of that namespace. Undefined if workers run in the same
   * namespace.
   */
  platformNamespace?: string;
  /** Image for models that do not set one. */
  image: string;
  imagePullPolicy: string;
  imagePullSecrets: readonly string[];
  /** Images that models may use besides those of the repository of `image`. See `isAllowedImage`. */
  allowedImages: readonly string[];
  /**
   * Hosts that artifacts may come from. If the list is empty, every host is allowed, but artifacts that need
   * credentials are refused. See `isAllowedHost`.
   */
  allowedArtifactHosts: readonly string[];
  /**
   * Secrets of the installation, which no model may use. Secrets with the labels of the installation need not be
   * listed.
   */
  ownSecrets: readonly string[];
  /** PersistentVolumeClaims of the installation, which no model may use. A trailing `*` stands for any characters. */
  ownClaims: readonly string[];
  /** User and group id of the containers. If 0, the platform chooses the ids. */
  userId: number;
  redis: {
    /** Secret with the REDIS_URL of all workers. Undefined if the Secret of each model has one. */
    secret: string | undefined;
    prefix: string;
    timeoutMs: number;
    ports: readonly number[];
    /** Labels of the pods of a bundled Redis. Empty if Redis is not part of the installation. */
    labels: Readonly<Record<string, string>>;
  };
  /** Secret with the public keys that verify tickets. */
  ticketPublicKeysSecret: string;
  /** True if the Secret of each model has a certificate for the stream port. Otherwise streams use plain ws://. */
  tls: boolean;
  /**
   * Secret with CA certificates that workers trust in addition to those of the system. Empty string if there is no such
   * Secret.
   */
  caSecret: string;
  /** Labels of the pods that may open streams to workers. */
  gatewayLabels: Readonly<Record<string, string>>;
  /** Default OTLP endpoint for traces and metrics. Empty if workers send none. */
  otlpEndpoint: string;
  /** Further ports that workers may connect to, besides Redis, DNS, the OTLP endpoint and their artifact server. */
  egressPorts: readonly number[];
  /**
   * Maximum number or percentage of a model's workers that may be evicted at the same time. It applies even if the free
   * slots would allow more evictions.
   */
  maxUnavailable: number | string;
}

/** Ports of a worker pod. */
export const PORTS = { stream: 8443, admin: 9090 } as const;

/** Ports on which the I/O threads of a worker accept streams. A worker uses as many of them as it has threads. */
export const STREAM_PORTS = Array.from({ length: MAX_IO_THREADS }, (_, thread) => PORTS.stream + thread);

/** Mount paths in a worker pod. */
export const PATHS = {
  redis: '/etc/svc-asr/redis',
  tickets: '/etc/svc-asr/tickets',
  tls: '/etc/svc-asr/tls',
  ca: '/etc/svc-asr/ca',
  credentials: '/etc/svc-asr/artifact',
  /** Folder with a subfolder for the credentials of each guest. */
  guests: '/etc/svc-asr/guests',
  model: '/model',
  artifacts: '/artifacts',
  scratch: '/tmp',
} as const;
