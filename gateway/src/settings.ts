import { isIP } from 'node:net';
import { integer, keyring, LEDGER_SETTINGS, list, readableFile } from '@svc-asr/runtime';
import { REDIS_SETTINGS, SERVICE_SETTINGS, text, url } from '@svc-asr/runtime';
import type { Setting, ValuesOf } from '@svc-asr/runtime';

const NAMED_NETWORKS = ['loopback', 'linklocal', 'uniquelocal'];

/** Wrong entries would fail the first request that needs them, or believe nobody. */
function networks(description: string): Setting<string[]> {
  const any = list(`${description} The words ${NAMED_NETWORKS.join(', ')} name networks too.`);
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
  // A network of all addresses would let every caller choose the address it is known by.
  return bits === undefined || (/^[1-9]\d{0,2}$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128));
}

/** Every setting of the gateway; docs/settings.md is made from this. */
export const GATEWAY_SETTINGS = {
  ...SERVICE_SETTINGS,
  ...REDIS_SETTINGS,
  ...LEDGER_SETTINGS,
  HOST: text('Address that the API listens on.', '::'),
  PORT: integer('Port of the API; 0 takes a free one.', 8443, 0, 65_535),
  TLS_CERT_FILE: readableFile('Certificate chain (PEM). Without it the API speaks plain HTTP, for a proxy in front.'),
  TLS_KEY_FILE: readableFile('Private key (PEM) of the certificate; both are set, or neither.'),
  PUBLIC_URL: url('Address under which callers reach the API; websocket_url is made from it.', ['https:', 'http:']),
  TRUSTED_PROXIES: networks('Addresses or networks whose X-Forwarded-For is believed, e.g. 10.0.0.0/8.'),
  API_KEY_PEPPERS: keyring('Secrets under which API keys are hashed: {"current": ID, "secrets": {ID: base64}}.'),
  SESSION_SECRETS: keyring('Secrets from which session credentials are derived, in the same form.'),
  WORKER_TICKETS: keyring('Secrets under which tickets for workers are signed, in the same form.'),
  SESSION_TTL_MS: integer('How long a session credential works.', 60_000, 100, 3_600_000),
  PROVISIONAL_LEASE_MS: integer('How long a session may take to be made before it is taken back.', 5000, 100, 60_000),
  SLOT_HOLD_EXTRA_MS: integer('How much longer than its credential a session holds its place in the pool.', 5000),
  REAPER_INTERVAL_MS: integer('How often overdue sessions are looked for.', 250, 10, 60_000),
  REAPER_RETRY_MS: integer('When overdue work is looked at again whose gateway died over it.', 5000, 100, 600_000),
  REAPER_TIME_STEP_MS: integer(
    'A step of the clock of Redis beyond which no lease is taken for lost until it could be renewed.',
    5000,
    100,
    600_000,
  ),
  CANCELLED_KEPT_MS: integer(
    'How long a reservation is refused that arrives after it was given up.',
    600_000,
    1000,
    86_400_000,
  ),
  NO_CAPACITY_RETRY_SECONDS: integer(
    'Retry-After where every worker is taken and the pool is at its maximum.',
    5,
    1,
    600,
  ),
  LEDGER_ID_FILE: text(
    'File with the id of the ledger that Redis must hold, as the operator writes it. Empty, or no such file: the first one that is seen.',
    '',
  ),
  LEDGER_INTERVAL_MS: integer('How often it is looked whether Redis still holds the ledger.', 1000, 10, 60_000),
  CATALOGUE_INTERVAL_MS: integer('How often the list of models is read anew.', 1000, 10, 60_000),
  KEY_CACHE_MS: integer(
    'How long a key that was looked up is remembered; a revocation is late by as much.',
    1000,
    0,
    5000,
  ),
  KEY_TOUCH_MS: integer('How often the last use of a key is written down.', 60_000, 0, 86_400_000),
  AUTH_FAILURES_PER_SECOND: integer('Failed authentications that one address may make.', 100, 1, 1_000_000),
  LAST_STEP_MS: integer(
    'Age of a request past which it asks Redis for nothing more and is answered 503.',
    900,
    10,
    60_000,
  ),
  HEADERS_TIMEOUT_MS: integer('How long a client may take to send the headers of a request.', 10_000, 100, 300_000),
  REQUEST_TIMEOUT_MS: integer('How long a client may take to send a whole request.', 15_000, 100, 300_000),
  KEEP_ALIVE_MS: integer('How long an idle connection is kept.', 65_000, 0, 600_000),
  PROCESS_LEASE_MS: integer(
    'How long a gateway or worker that does not renew it keeps its lease.',
    15_000,
    500,
    600_000,
  ),
  LEASE_RENEW_MS: integer('How often this gateway renews its lease.', 5000, 50, 60_000),
  STREAM_STATUS_MS: integer('How often a waiting client is told so.', 3000, 50, 60_000),
  STREAM_PLACE_MS: integer('How often a waiting stream asks for a worker.', 250, 10, 3000),
  STREAM_LINE_MS: integer(
    'How long a waiting stream that has not asked keeps its place in the line.',
    3000,
    100,
    60_000,
  ),
  STREAM_GATHER_MS: integer(
    'How long a frame of under 20 ms may wait for more before its worker gets it.',
    20,
    0,
    1000,
  ),
  STREAM_IDLE_MS: integer('How long a client may be silent.', 30_000, 100, 600_000),
  STREAM_PING_MS: integer('How often a client is pinged; one that misses two is gone.', 20_000, 50, 600_000),
  STREAM_EXTRA_MS: integer('How much longer than its reserved audio a stream may live.', 300_000, 100, 3_600_000),
  STREAM_FINAL_MS: integer(
    'How long the last final may take before the stream is closed without it.',
    5000,
    100,
    60_000,
  ),
  STREAM_MEMORY_MIB: integer(
    'Memory for audio that may have to be replayed, in MiB: what live streams have reserved fits into it.',
    4096,
    16,
    4_194_304,
  ),
  WORKER_CA_FILE: readableFile(
    'Authority (PEM) that vouches for workers behind wss://. Empty: those that Node trusts.',
  ),
  WORKER_SERVER_NAME: text(
    'Name that the certificate of every worker carries. Empty: the name or address in its wss:// address.',
    '',
  ),
  WORKER_OPEN_MS: integer('How long a worker may take to open a stream.', 3000, 100, 60_000),
  WORKER_SILENCE_MS: integer(
    'How long a worker that owes an answer may be silent before it counts as dead.',
    3000,
    100,
    60_000,
  ),
  WORKER_AVOID_MS: integer(
    'How long a stream keeps away from a worker that it lost. More than the lease of a worker: one that is still there then is alive.',
    20_000,
    1000,
    600_000,
  ),
  WORKER_TICKET_MS: integer('How long a ticket for a worker works.', 10_000, 1000, 600_000),
  REVISION_TALLY_MS: integer(
    'How often it is told how streams fare on each revision of a model, for rollouts to go by.',
    2000,
    50,
    60_000,
  ),
  SUSPENSION_INTERVAL_MS: integer('How often the accounts of live streams are looked at.', 2000, 50, 60_000),
  DRAIN_DELAY_MS: integer(
    'Time between saying not ready and refusing sessions and streams, for balancers to notice.',
    0,
    0,
    120_000,
  ),
  STOP_GRACE_MS: integer('How long stopping may take.', 10_000, 100, 900_000),
} as const;

export type GatewaySettings = ValuesOf<typeof GATEWAY_SETTINGS>;
