/** What all workers of an installation have in common, whatever their model. */
export interface Installation {
  /** Image of workers whose model names none. */
  image: string;
  imagePullPolicy: string;
  imagePullSecrets: readonly string[];
  /** User and group that containers run as; 0: what the platform gives them. */
  userId: number;
  redis: { secret: string; prefix: string; timeoutMs: number; ports: readonly number[] };
  ticketsSecret: string;
  /** Certificate of the port for streams; empty: streams come over plain ws://. */
  tlsSecret: string;
  /** Authorities that workers trust beside the well-known ones; empty: none. */
  caSecret: string;
  /** Labels of the pods that may open streams. */
  gatewayLabels: Readonly<Record<string, string>>;
  /** Where workers send traces and metrics whose model names no other place; empty: nowhere. */
  otlpEndpoint: string;
  /** Ports that workers may reach beside Redis, DNS, the collector and the server of their artifact. */
  egressPorts: readonly number[];
  /** How many workers of a model may be evicted at a time, as number or percentage. */
  maxUnavailable: number | string;
}

/** Ports of a worker's pod. */
export const PORTS = { stream: 8443, admin: 9090 } as const;

/** Where a worker's pod has its files. */
export const PATHS = {
  redis: '/etc/svc-asr/redis',
  tickets: '/etc/svc-asr/tickets',
  tls: '/etc/svc-asr/tls',
  ca: '/etc/svc-asr/ca',
  credentials: '/etc/svc-asr/artifact',
  model: '/model',
  artifacts: '/artifacts',
  scratch: '/tmp',
} as const;
