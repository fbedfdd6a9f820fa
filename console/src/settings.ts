import { KUBERNETES_SETTINGS } from '@svc-asr/kubernetes';
import { integer, keyring, LEDGER_SETTINGS, list, readableFile } from '@svc-asr/runtime';
import { networks, REDIS_SETTINGS, SERVICE_SETTINGS, text, url } from '@svc-asr/runtime';
import type { Setting, ValuesOf } from '@svc-asr/runtime';
import { IDENTITY_SETTINGS } from './identity/settings.ts';
import { MAIL_SETTINGS } from './mail/settings.ts';

/** Minimum length of the admin token. Shorter tokens could be guessed. */
const MIN_TOKEN_CHARACTERS = 32;

const adminToken: Setting<string> = {
  description: `Bearer token of the admin API, at least ${MIN_TOKEN_CHARACTERS} characters.`,
  fallback: undefined,
  secret: true,
  read: (value) => {
    if (value.length < MIN_TOKEN_CHARACTERS || !/^[\x21-\x7e]+$/.test(value)) {
      throw new Error(`must be at least ${MIN_TOKEN_CHARACTERS} printable ASCII characters without spaces`);
    }
    return value;
  },
};

/** Settings of the console. */
export const CONSOLE_SETTINGS = {
  ...SERVICE_SETTINGS,
  ...REDIS_SETTINGS,
  ...LEDGER_SETTINGS,
  ADMIN_API_PORT: integer(
    "Port of the admin API and the administrators' page on 127.0.0.1, over plain HTTP. 0 chooses a free port.",
    9091,
    0,
    65_535,
  ),
  ADMIN_API_TLS_PORT: integer(
    "Port of the admin API and the administrators' page for other machines, with TLS. 0 closes it.",
    0,
    0,
    65_535,
  ),
  ADMIN_API_TLS_HOST: text('IP address that ADMIN_API_TLS_PORT listens on.', '::'),
  ADMIN_API_TLS_CERT_FILE: readableFile(
    'Certificate chain (PEM) for ADMIN_API_TLS_PORT. Required if that port is open.',
  ),
  ADMIN_API_TLS_KEY_FILE: readableFile('Private key (PEM) of the certificate in ADMIN_API_TLS_CERT_FILE.'),
  ADMIN_TOKEN: adminToken,
  ADMIN_FAILED_ATTEMPTS_PER_MINUTE: integer(
    'Maximum requests with a missing or wrong admin token per IP address and minute.',
    10,
    1,
    1_000_000,
  ),
  ADMIN_BODY_BYTES: integer('Maximum size of a request body of the admin API.', 262_144, 1024, 16_777_216),
  API_KEY_PEPPERS: keyring('Peppers for the hashes of API keys. New keys use the current one.'),
  KEY_ACTIVATION_TIMEOUT_MS: integer(
    'Maximum time for which the response to a write waits until Redis has the change.',
    5000,
    0,
    60_000,
  ),
  KEY_POLL_INTERVAL_MS: integer('Interval between two checks of Redis while a response waits.', 50, 1, 60_000),
  PURGE_TIMEOUT_MS: integer(
    'Maximum time that the purge of a tenant waits for the operator. The request can be repeated.',
    600_000,
    100,
    3_600_000,
  ),
  JOURNAL_PAGE_ENTRIES: integer(
    'Number of journal entries that an export reads from Redis at a time.',
    1000,
    1,
    100_000,
  ),
  ...KUBERNETES_SETTINGS,
  KUBERNETES_TIMEOUT_MS: integer(
    'Timeout of one attempt of a request to the Kubernetes API. After this time from the start of the first attempt, no further attempt starts.',
    10_000,
    100,
    600_000,
  ),
  OPERATOR_LEASE_NAME: text(
    'Name of the Lease of the operators. The health page reads from it which operator is the leader.',
    'svc-asr-operator',
  ),
  CONFIG_FOLDER: text(
    'Folder for the Tenant, ApiKey and Member resources that the console writes, if KUBERNETES is empty.',
    '.svc-asr/config',
  ),
  READ_ONLY_FOLDERS: list('Folders with resources that the console reads and never writes, separated by commas.'),
  CONSOLE_HOST: text('IP address that the console port listens on.', '::'),
  CONSOLE_PORT: integer("Port of the console's page and developer API. 0 chooses a free port.", 8444, 0, 65_535),
  TLS_CERT_FILE: readableFile('Certificate chain (PEM) of the console port. If empty, the port uses plain HTTP.'),
  TLS_KEY_FILE: readableFile('Private key (PEM) of the certificate. Set both files or neither.'),
  TRUSTED_PROXIES: networks(
    'IP addresses or networks of proxies whose X-Forwarded-For header is trusted, such as 10.0.0.0/8.',
  ),
  API_URL: text('URL of the public API in the examples of the page.', 'https://localhost:8443'),
  GATEWAY_INTERNAL_URL: url(
    'URL of INTERNAL_PORT of the gateways. If it is empty, the console has no playground.',
    ['https:'],
    '',
  ),
  GATEWAY_INTERNAL_CA_FILE: readableFile('CA certificate (PEM) that issued the certificate of INTERNAL_PORT.'),
  EXAMPLE_CA_FILE: text(
    'CA file that the curl examples of the page name with --cacert. Set it if clients do not trust the certificate of the API otherwise.',
    '',
  ),
  ...IDENTITY_SETTINGS,
  ...MAIL_SETTINGS,
  CONSOLE_BODY_BYTES: integer('Maximum size of a request body on the console port.', 16_384, 1024, 1_048_576),
  APPLICATIONS_PER_HOUR: integer('Maximum applications for an account per IP address and hour.', 5, 1, 1_000_000),
  MAX_APPLICATIONS: integer('Maximum pending applications. Further applications are rejected.', 1000, 1, 1_000_000),
  SIGN_IN_FAILURES_PER_MINUTE: integer(
    'Maximum requests with a wrong private link, a wrong invitation or a forged cookie per IP address and minute.',
    10,
    1,
    1_000_000,
  ),
  LINK_DAYS: integer(
    'Lifetime of a private link in days. The developer or an administrator can replace it by a new one.',
    90,
    1,
    3650,
  ),
  CACHE_MS: integer(
    "Time for which the console port caches a developer's tenant, keys and members. Changes by other writers are visible after this time.",
    2000,
    0,
    60_000,
  ),
  MAX_KEYS: integer(
    'Number of API keys of a tenant at which its developers can create no further keys. Administrators still can.',
    20,
    1,
    100_000,
  ),
  KEYS_PER_HOUR: integer('Maximum API keys that a tenant may create per hour.', 60, 1, 1_000_000),
  WELCOME_CREDIT_SECONDS: integer(
    'Initial credit of an approved tenant, in seconds of audio, if the administrator specifies no other.',
    3600,
    0,
    1_000_000_000,
  ),
  AUDIT_MAX_ENTRIES: integer(
    'Maximum number of entries of the audit log in Redis. The oldest are removed first.',
    100_000,
    100,
    10_000_000,
  ),
  AUDIT_RETENTION_DAYS: integer('Time in days for which the audit log keeps an entry.', 400, 1, 36_500),
  AUDIT_QUEUE_ENTRIES: integer(
    'Maximum number of audit entries that wait in memory while Redis is unavailable. If more entries wait, the oldest are only in the log of the console.',
    10_000,
    1,
    1_000_000,
  ),
  STOP_GRACE_MS: integer('Time for running requests to finish when the console stops.', 10_000, 0, 600_000),
} as const;

export type ConsoleSettings = ValuesOf<typeof CONSOLE_SETTINGS>;
