import { integer, keyring, readableFile, REDIS_SETTINGS, SERVICE_SETTINGS, text, url } from '@svc-asr/runtime';
import type { Setting, ValuesOf } from '@svc-asr/runtime';

/** Every setting of the worker; docs/settings.md is made from this. */
export const WORKER_SETTINGS = {
  ...SERVICE_SETTINGS,
  ...REDIS_SETTINGS,
  MODEL: text('Id of the model whose pool the worker belongs to: the name of its ASRModel.'),
  MODEL_DIR: text('Model folder: manifest.json and the files that it names.'),
  REVISION: text('Revision of the model and the program, by which a rollout tells workers apart.', 'local'),
  PROVIDER: text('ONNX Runtime execution provider: cpu, cuda or another one.', 'cpu'),
  THREADS: integer('Threads inside one run of the model.', 1, 1, 1024),
  SLOTS: integer('Streams at a time; 0 measures at warm-up how many the machine sustains.', 0, 0, 100_000),
  MEASURE_SECONDS: integer(
    'How long it measures at most; a fifth of it where the cores are always as quick. With less a worker is ready sooner, and where others use the same cores its slots differ more from start to start.',
    20,
    0,
    600,
  ),
  MAX_SLOTS: integer('Most slots that measuring may find.', 1024, 1, 100_000),
  MAX_BATCH: integer('Most streams in one run of the model; 0 is 16 on a CPU and 64 elsewhere.', 0, 0, 4096),
  UTILIZATION_PERCENT: integer(
    'Share of the measured capacity that slots may use, the rest is for bursts; 0 is 80 on a CPU and 85 elsewhere.',
    0,
    0,
    100,
  ),
  WORKER_ID: workerId('Name of this process among the workers, never used twice. Empty: a random one.'),
  HOST: text('Address that streams are taken on.', '127.0.0.1'),
  PORT: integer('Port of it; 0 takes a free one.', 0, 0, 65_535),
  ADVERTISE_ADDRESS: optionalAddress('Where gateways reach it. Empty: made of HOST and the port.'),
  TLS_CERT_FILE: readableFile('Certificate chain (PEM). Without it streams come over plain ws://.'),
  TLS_KEY_FILE: readableFile('Private key (PEM) of the certificate.'),
  WORKER_TICKETS: keyring('Secrets under which gateways sign tickets: {"current": ID, "secrets": {ID: base64}}.'),
  LEASE_MS: integer('How long the worker counts as alive after its last sign of life in Redis.', 15_000, 100, 600_000),
  LEASE_RENEW_MS: integer('How often it gives one, as long as inference makes progress.', 5000, 50, 200_000),
  OPEN_TIMEOUT_MS: integer('How long a gateway may take to send its first message.', 5000, 100, 60_000),
  SLOT_WAIT_TIMEOUT_MS: integer('How long a stream waits for a slot that is just being freed.', 1000, 0, 60_000),
  PROGRESS_INTERVAL_MS: integer(
    'How often streams that wait for something are told that inference goes on.',
    500,
    50,
    1000,
  ),
  PING_MS: integer('How often a gateway is pinged; after two without an answer it is gone.', 20_000, 100, 600_000),
  MAX_UNSENT_BYTES: integer('Answers that a gateway may leave unread before it is cut off.', 1_048_576, 1024),
  MOVE_AFTER_MS: integer(
    'How long streams may go on after an operator asked the worker to drain, before they are sent elsewhere; 0 sends them at once.',
    5000,
  ),
  DRAIN_TIMEOUT_MS: integer('How long streams may take to go elsewhere after SIGTERM.', 20_000, 0, 7_200_000),
  HANG_TIMEOUT_MS: integer('Without progress of inference for so long /livez fails.', 10_000, 1000, 600_000),
} as const;

export type WorkerSettings = ValuesOf<typeof WORKER_SETTINGS>;

/** Every setting of `fetch-artifact`, which brings a model into a pod before its worker starts. */
export const ARTIFACT_SETTINGS = {
  LOG_LEVEL: SERVICE_SETTINGS.LOG_LEVEL,
  ARTIFACT_URL: url('https address of a .tar.gz with the model folder.', ['https:']),
  ARTIFACT_SHA256: checksum('SHA-256 of it, as sha256sum prints it.'),
  ARTIFACT_FOLDER: text('Folder below which it is unpacked, in one that is named by the checksum.'),
  ARTIFACT_CREDENTIALS_FOLDER: text(
    'Folder with the files `username` and `password`, or `token`, or `header` (Name: value), and `ca.crt` where the server has an authority of its own. Empty: none of it.',
    '',
  ),
  ARTIFACT_OWNER: text(
    'Who fetches it: a lock that the same one left is taken over at once. Empty: a random name.',
    '',
  ),
  ARTIFACT_MAX_MIB: integer('Largest artifact.', 65_536, 1),
  ARTIFACT_MAX_UNPACKED_MIB: integer('Most that it may unpack to.', 131_072, 1),
  ARTIFACT_MAX_FILES: integer('Most files that it may unpack to.', 10_000, 1),
  ARTIFACT_STALL_MS: integer('How long nothing may come before the download is tried again.', 30_000, 100, 3_600_000),
  ARTIFACT_MAX_ATTEMPTS: integer('Tries in a row that bring nothing before it is given up.', 8, 1, 1000),
  ARTIFACT_RETRY_BASE_MS: integer('Wait after a first failure; it doubles.', 500, 1, 600_000),
  ARTIFACT_RETRY_MAX_MS: integer('Longest wait between two tries.', 30_000, 1, 3_600_000),
  ARTIFACT_LOCK_RENEW_MS: integer('How often whoever fetches says so to those that wait.', 3000, 10, 600_000),
  ARTIFACT_LOCK_STALE_MS: integer('Without a word for so long it is taken for dead.', 20_000, 50, 3_600_000),
  ARTIFACT_LOCK_POLL_MS: integer('How often those that wait look.', 500, 10, 60_000),
} as const;

/** Placement separates ids by spaces, and they stand in logs and tickets. */
function workerId(description: string): Setting<string> {
  return {
    description,
    fallback: '',
    read: (value) => {
      if (!/^[A-Za-z0-9._-]{0,128}$/.test(value)) {
        throw new Error(`"${value}" has other characters than letters, digits, ".", "_" and "-", or more than 128`);
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
