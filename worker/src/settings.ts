import { MAX_IO_THREADS } from '@svc-asr/core';
import { integer, readableFile, REDIS_SETTINGS, SERVICE_SETTINGS, text, url } from '@svc-asr/runtime';
import type { Setting, ValuesOf } from '@svc-asr/runtime';

/** Settings of the worker. docs/settings.md is generated from these definitions. */
export const WORKER_SETTINGS = {
  ...SERVICE_SETTINGS,
  ...REDIS_SETTINGS,
  MODEL: text('Id of the model that the worker serves: the name of its ASRModel.'),
  MODEL_DIR: text('Model folder: manifest.json and the files that it lists.'),
  GUESTS: text(
    'Further models that this worker serves, as a JSON list of objects. Each object has MODEL and MODEL_DIR, and may have SLOTS, PORT, ADVERTISE_ADDRESS, TLS_CERT_FILE, TLS_KEY_FILE, REDIS_URL and REDIS_URL_FILE. Measured slots are divided equally between all models.',
    '[]',
  ),
  REVISION: text('Revision of the model and the program. A rollout replaces workers of other revisions.', 'local'),
  TIER: text(
    'Tier of the model that the worker belongs to. Sessions prefer workers of the first tier. Empty if the model has no tiers.',
    '',
  ),
  PROVIDER: text('ONNX Runtime execution provider: cpu, cuda or another supported one.', 'cpu'),
  THREADS: integer('Threads inside one run of the model.', 1, 1, 1024),
  SLOTS: integer(
    'Maximum number of streams at the same time; 0 measures at warm-up how many the engine and the I/O threads can serve.',
    0,
    0,
    100_000,
  ),
  MEASURE_SECONDS: integer(
    'Longest time for which a starting worker measures how many slots it can serve. The measurement takes a fifth of this time if the speed of the cores is constant. With a lower value the worker is ready sooner, but on shared cores the number of slots varies more between starts. With 0, for tests, the worker runs every context only a few times.',
    20,
    0,
    600,
  ),
  MAX_SLOTS: integer(
    'Upper limit of the measured number of slots; 0 is 32768 with GPU graphs and 1024 elsewhere.',
    0,
    0,
    100_000,
  ),
  LEAST_SLOTS_PERCENT: integer(
    'Minimum slots that the worker offers, as a percentage of the measured or set slots. The worker lowers its slots, at most to this minimum, while its runs are slower than at warm-up. With 100, it offers all slots at any speed.',
    10,
    1,
    100,
  ),
  START_SLOTS_PERCENT: integer(
    'Share of the measured slots that a worker on a CPU offers at first, and while it has little load. Its cores may be slower when the whole machine is busy. The worker offers more slots when streams use the offered slots and runs are quick. A worker on a GPU, or with a set number of slots, offers all slots from the start.',
    40,
    1,
    100,
  ),
  MAX_BATCH: integer(
    'Largest number of streams in one run of the model; 0 is 512 with GPU graphs, 16 on a CPU and 64 elsewhere.',
    0,
    0,
    4096,
  ),
  UTILIZATION_PERCENT: integer(
    'Share of the measured capacity that slots may use. The remaining capacity absorbs bursts. 0 is 80 on a CPU and 85 elsewhere.',
    0,
    0,
    100,
  ),
  WORKER_ID: workerId('Unique id of this worker, which must never be reused. If empty, a random id is generated.'),
  HOST: text('Address on which the worker accepts streams.', '127.0.0.1'),
  PORT: integer(
    'Port on which the worker accepts streams. Further I/O threads use the ports after it. 0 selects free ports.',
    0,
    0,
    65_535,
  ),
  IO_THREADS: integer(
    'Threads that read and write the connections of gateways, each on its own port. 0 is 1 thread on a CPU. Elsewhere it is one thread for each 4 cores, but at least 2 and at most 4.',
    0,
    0,
    MAX_IO_THREADS,
  ),
  ADVERTISE_ADDRESS: optionalAddress(
    'URL at which gateways reach the worker. Further I/O threads announce the ports after its port. If empty, URLs are built from HOST and the ports.',
  ),
  TLS_CERT_FILE: readableFile('Certificate chain (PEM). Without it the worker accepts streams over plain ws://.'),
  TLS_KEY_FILE: readableFile('Private key (PEM) of the certificate.'),
  WORKER_TICKET_PUBLIC_KEYS_FILE: readableFile(
    'Ed25519 public keys of the gateways, or certificates with them (PEM), which verify tickets. A changed file is reloaded.',
    { required: true },
  ),
  LEASE_MS: integer(
    'Duration of the lease in Redis. The worker counts as lost if it does not renew the lease in time.',
    15_000,
    100,
    600_000,
  ),
  LEASE_RENEW_MS: integer('Interval at which the lease is renewed while inference makes progress.', 5000, 50, 200_000),
  OPEN_TIMEOUT_MS: integer(
    'Longest time for a gateway to open its first stream after it has connected.',
    5000,
    100,
    60_000,
  ),
  SLOT_WAIT_TIMEOUT_MS: integer('Longest time that a new stream waits for a slot to be freed.', 1000, 0, 60_000),
  PROGRESS_INTERVAL_MS: integer(
    'Interval at which gateways with streams are notified that inference makes progress.',
    500,
    50,
    1000,
  ),
  PING_MS: integer(
    'Interval between pings to a gateway. After two unanswered pings, the gateway is disconnected.',
    20_000,
    100,
    600_000,
  ),
  RESUME_TIMEOUT_MS: integer(
    'Time for which the streams of a lost connection are kept, so that its gateway can resume it. The streams use their slots until then. With 0, no streams are kept, and their gateways move them at once.',
    2000,
    0,
    60_000,
  ),
  MAX_UNSENT_BYTES: integer(
    'Size of unread answers above which a gateway is disconnected. A gateway with more than 64 streams may leave 16 KiB per stream unread.',
    1_048_576,
    1024,
  ),
  MOVE_AFTER_MS: integer(
    'Time between a drain request of an operator and the request to gateways to move their streams; 0 moves them at once.',
    5000,
  ),
  DRAIN_TIMEOUT_MS: integer(
    'Longest time for which streams are served after SIGTERM, until they end or have moved to other workers. Must be shorter than the grace period of the process. The worker reports this time to gateways.',
    20_000,
    0,
    7_200_000,
  ),
  HANG_TIMEOUT_MS: integer('Time without progress of inference after which /livez fails.', 10_000, 1000, 600_000),
} as const;

export type WorkerSettings = ValuesOf<typeof WORKER_SETTINGS>;

/** Settings of `fetch-artifact`, which downloads a model into a pod before its worker starts. */
export const ARTIFACT_SETTINGS = {
  LOG_LEVEL: SERVICE_SETTINGS.LOG_LEVEL,
  ARTIFACT_URL: url(
    'HTTPS URL of a .tar.gz archive with the model folder. Only fetch-artifact, which runs before the worker, reads settings that start with ARTIFACT_.',
    ['https:'],
  ),
  ARTIFACT_SHA256: checksum('SHA-256 of the archive, as printed by sha256sum.'),
  ARTIFACT_FOLDER: text('Folder for unpacked artifacts. The model is unpacked into a subfolder named by the checksum.'),
  ARTIFACT_CREDENTIALS_FOLDER: text(
    'Folder with the files `username` and `password`, or `token`, or `header` (Name: value), and `ca.crt` if the server uses a private CA. If empty, no credentials are used.',
    '',
  ),
  ARTIFACT_OWNER: text(
    'Name of the lock holder. A lock that the same holder left behind is taken over at once. If empty, a random name is generated.',
    '',
  ),
  ARTIFACT_MAX_MIB: integer('Maximum size of the archive.', 65_536, 1),
  ARTIFACT_MAX_UNPACKED_MIB: integer('Maximum total size of the unpacked files.', 131_072, 1),
  ARTIFACT_MAX_FILES: integer('Maximum number of unpacked files.', 10_000, 1),
  ARTIFACT_STALL_MS: integer('Time without received data after which the download is retried.', 30_000, 100, 3_600_000),
  ARTIFACT_MAX_ATTEMPTS: integer(
    'Number of consecutive attempts without received data before the download fails.',
    8,
    1,
    1000,
  ),
  ARTIFACT_RETRY_BASE_MS: integer(
    'Delay after the first failure. It doubles with each further failure.',
    500,
    1,
    600_000,
  ),
  ARTIFACT_RETRY_MAX_MS: integer('Longest delay between two attempts.', 30_000, 1, 3_600_000),
  ARTIFACT_LOCK_RENEW_MS: integer('Interval at which the lock of a download is renewed.', 3000, 10, 600_000),
  ARTIFACT_LOCK_STALE_MS: integer(
    'Time without renewal after which a lock counts as abandoned.',
    20_000,
    50,
    3_600_000,
  ),
  ARTIFACT_LOCK_POLL_MS: integer('Interval at which waiting processes check the lock.', 500, 10, 60_000),
} as const;

/**
 * Defines the setting for a worker id. Ids appear in logs and tickets, and placement requests separate ids by spaces.
 * An id may therefore contain only safe characters.
 */
function workerId(description: string): Setting<string> {
  return {
    description,
    fallback: '',
    read: (value) => {
      if (!/^[A-Za-z0-9._-]{0,128}$/.test(value)) {
        throw new Error(`"${value}" may have at most 128 characters, and only letters, digits, ".", "_" and "-"`);
      }
      return value;
    },
  };
}

function optionalAddress(description: string): Setting<string> {
  const { read } = url(description, ['ws:', 'wss:']);
  return { description, fallback: '', read: (value) => (value === '' ? '' : read(value)) };
}

function checksum(description: string): Setting<string> {
  return {
    description,
    fallback: undefined,
    read: (value) => {
      if (!/^[0-9a-f]{64}$/.test(value)) throw new Error(`"${value}" is not 64 hexadecimal digits`);
      return value;
    },
  };
}
