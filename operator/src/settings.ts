import { integer, LEDGER_SETTINGS, list, REDIS_SETTINGS, SERVICE_SETTINGS, text } from '@svc-asr/runtime';
import type { ValuesOf } from '@svc-asr/runtime';
import { CLUSTER_SETTINGS } from './workers/cluster/settings.ts';
import { CLUSTER_API_SETTINGS } from './kubernetes/settings.ts';

/** Settings of the operator. */
export const OPERATOR_SETTINGS = {
  ...SERVICE_SETTINGS,
  ...REDIS_SETTINGS,
  ...LEDGER_SETTINGS,
  ...CLUSTER_API_SETTINGS,
  CONFIG_FOLDERS: list(
    'Folders whose .yaml, .yml and .json files hold the ASRModel, Tenant and ApiKey resources, separated by commas.',
    'config/local',
  ),
  CONFIG_POLL_MS: integer('Time between two looks at the folders.', 200, 10, 60_000),
  CONFIG_SETTLE_MS: integer('How long a changed file must be at rest before it is read.', 200, 0, 60_000),
  CONFIG_DELETE_GRACE_MS: integer(
    'How long a resource must be missing from all files before it counts as deleted, so that files can be rewritten and resources moved between them.',
    1000,
    0,
    600_000,
  ),
  RECONCILE_CONCURRENCY: integer('How many resources are worked on at the same time.', 24, 1, 256),
  RETRY_BASE_MS: integer(
    'Wait after the first failure of a resource; it doubles with each further one.',
    100,
    1,
    60_000,
  ),
  RETRY_MAX_MS: integer('Longest wait between two tries of a resource.', 10_000, 1, 3_600_000),
  RESYNC_SECONDS: integer('Every resource is applied again after this time, changed or not.', 300, 1, 86_400),
  TENANT_RETENTION_DAYS: integer('How long the account of a deleted Tenant is kept, to be resumed.', 90, 1, 36_500),
  LEDGER_ID_FILE: text(
    'Where resources are files: file for the id of the ledger, by which an emptied or wrong Redis is noticed; beside it stands what tenants have consumed. Empty: noticed only as long as this operator runs.',
    '',
  ),
  LEDGER_INTERVAL_MS: integer('How often it is looked whether Redis still holds the ledger.', 2000, 10, 60_000),
  LEDGER_CONFIG_MAP: text('In a cluster: name of the ConfigMap for the id of the ledger.', 'svc-asr-ledger'),
  SCALING_INTERVAL_MS: integer('Time between two looks at the load of a pool.', 1000, 10, 60_000),
  WORKER_PROGRAM: text(
    "The worker's program, run as processes of this machine as the load asks for. Empty: workers are started by other means.",
    '',
  ),
  MODEL_ROOT: text('Folder that a relative spec.artifact.path starts from.', '.'),
  WORKER_STATE_FOLDER: text(
    'Folder in which worker processes are written down, so that an operator that is started again finds them.',
    '.svc-asr/workers',
  ),
  WORKER_LOG_FOLDER: text('Folder for the logs of worker processes, one file each.', '.svc-asr/logs'),
  WORKER_START_TIMEOUT_MS: integer(
    'How long a worker may take until it takes sessions; then it counts as failed.',
    120_000,
    100,
    3_600_000,
  ),
  WORKER_LOST_TIMEOUT_MS: integer(
    'How long a worker that runs may be without a lease in Redis before it counts as hung and is replaced.',
    10_000,
    100,
    3_600_000,
  ),
  WORKER_STOP_GRACE_MS: integer(
    'How long a worker may take to hand its streams over and stop, before it is killed. At most four fifths of STOP_GRACE_MS.',
    8000,
    0,
    600_000,
  ),
  ...CLUSTER_SETTINGS,
  STOP_GRACE_MS: integer('How long stopping may take.', 10_000, 0, 600_000),
} as const;

export type OperatorSettings = ValuesOf<typeof OPERATOR_SETTINGS>;
