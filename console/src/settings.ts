import { KUBERNETES_SETTINGS } from '@svc-asr/kubernetes';
import { integer, keyring, LEDGER_SETTINGS, list, readableFile } from '@svc-asr/runtime';
import { networks, REDIS_SETTINGS, SERVICE_SETTINGS, text } from '@svc-asr/runtime';
import type { Setting, ValuesOf } from '@svc-asr/runtime';

/** Shorter ones could be guessed. */
const MIN_TOKEN_CHARACTERS = 32;

const adminToken: Setting<string> = {
  description: `The bearer token of the admin API, at least ${MIN_TOKEN_CHARACTERS} characters.`,
  fallback: undefined,
  secret: true,
  read: (value) => {
    if (value.length < MIN_TOKEN_CHARACTERS || !/^[\x21-\x7e]+$/.test(value)) {
      throw new Error(`must be at least ${MIN_TOKEN_CHARACTERS} printable ASCII characters without spaces`);
    }
    return value;
  },
};

/** The settings of the console. */
export const CONSOLE_SETTINGS = {
  ...SERVICE_SETTINGS,
  ...REDIS_SETTINGS,
  ...LEDGER_SETTINGS,
  ADMIN_HOST: text('Address that the admin port, with the admin API in plain HTTP, listens on.', '127.0.0.1'),
  ADMIN_TOKEN: adminToken,
  ADMIN_FAILED_ATTEMPTS_PER_MINUTE: integer(
    'Requests with a missing or wrong admin token that one address may make a minute; the burst is as large.',
    10,
    1,
    1_000_000,
  ),
  ADMIN_BODY_BYTES: integer('Largest request body of the admin API.', 262_144, 1024, 16_777_216),
  API_KEY_PEPPERS: keyring('Peppers under which API keys are hashed; the current one is for new keys.'),
  KEY_ACTIVATION_TIMEOUT_MS: integer(
    'How long an answer of the admin API waits for its change to be in force in Redis.',
    5000,
    0,
    60_000,
  ),
  KEY_POLL_INTERVAL_MS: integer('Time between two looks at Redis while an answer waits.', 50, 1, 60_000),
  JOURNAL_PAGE_ENTRIES: integer('Entries of a journal that an export reads from Redis at a time.', 1000, 1, 100_000),
  ...KUBERNETES_SETTINGS,
  KUBERNETES_TIMEOUT_MS: integer(
    'How long one try of a request to the Kubernetes API may take; no further one begins after it.',
    10_000,
    100,
    600_000,
  ),
  CONFIG_FOLDER: text(
    'Where resources are files: folder that Tenant and ApiKey resources are written to.',
    '.svc-asr/config',
  ),
  READ_ONLY_FOLDERS: list('Folders whose resources are known and never written, separated by commas.'),
  CONSOLE_HOST: text("Address that the console's page listens on.", '::'),
  CONSOLE_PORT: integer("Port of the console's page; 0 takes a free one.", 8444, 0, 65_535),
  TLS_CERT_FILE: readableFile("Certificate chain (PEM) of the console's page; empty: plain HTTP."),
  TLS_KEY_FILE: readableFile('Its private key (PEM); both are set, or neither.'),
  TRUSTED_PROXIES: networks('Addresses or networks whose X-Forwarded-For the page believes, e.g. 10.0.0.0/8.'),
  API_URL: text('Address of the public API, which the page shows in its examples.', 'https://localhost:8443'),
  CONSOLE_BODY_BYTES: integer('Largest request body of the page.', 16_384, 1024, 1_048_576),
  APPLICATIONS_PER_HOUR: integer(
    'Applications that one address may make an hour; the burst is as large.',
    5,
    1,
    1_000_000,
  ),
  MAX_APPLICATIONS: integer(
    'Applications that may wait for a decision; beyond them nobody can apply.',
    1000,
    1,
    1_000_000,
  ),
  SIGN_IN_FAILURES_PER_MINUTE: integer('Wrong private links that one address may try a minute.', 10, 1, 1_000_000),
  MAX_KEYS: integer('Keys that a developer may have at a time.', 20, 1, 100_000),
  KEYS_PER_HOUR: integer('Keys that a developer may make an hour; the burst is as large.', 60, 1, 1_000_000),
  WELCOME_CREDIT_SECONDS: integer(
    'Credit that an approval gives where the administrator names no other.',
    3600,
    0,
    1_000_000_000,
  ),
  STOP_GRACE_MS: integer('How long requests may take to finish when the console stops.', 10_000, 0, 600_000),
} as const;

export type ConsoleSettings = ValuesOf<typeof CONSOLE_SETTINGS>;
