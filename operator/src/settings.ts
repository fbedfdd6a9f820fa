import { integer, LEDGER_SETTINGS, list, REDIS_SETTINGS, SERVICE_SETTINGS, text } from '@svc-asr/runtime';
import type { ValuesOf } from '@svc-asr/runtime';
import { CLUSTER_SETTINGS } from './workers/cluster/settings.ts';
import { CLUSTER_API_SETTINGS } from './kubernetes/settings.ts';

export const OPERATOR_SETTINGS = {
  ...SERVICE_SETTINGS,
  ...REDIS_SETTINGS,
  ...LEDGER_SETTINGS,
  ...CLUSTER_API_SETTINGS,
  CONFIG_FOLDERS: list(
    'Folders whose .yaml, .yml and .json files hold the ASRModel, Tenant and ApiKey resources, separated by commas.',
    'config/local',
  ),
  CONFIG_POLL_MS: integer('Time between two scans of the folders.', 200, 10, 60_000),
  CONFIG_SETTLE_MS: integer('Time without further changes after which a changed file is read.', 200, 0, 60_000),
  CONFIG_DELETE_GRACE_MS: integer(
    'Time after which a resource that is missing from all files counts as deleted. Allows files to be rewritten and resources to be moved between files.',
    1000,
    0,
    600_000,
  ),
  RECONCILE_CONCURRENCY: integer('Maximum number of resources that are reconciled at the same time.', 24, 1, 256),
  RETRY_BASE_MS: integer(
    'Delay before the first retry of a resource. The delay doubles with each further failure.',
    100,
    1,
    60_000,
  ),
  RETRY_MAX_MS: integer('Maximum delay between two attempts to reconcile a resource.', 10_000, 1, 3_600_000),
  RESYNC_SECONDS: integer(
    'Interval at which every resource is reconciled again, even if it has not changed.',
    300,
    1,
    86_400,
  ),
  TENANT_RETENTION_DAYS: integer(
    'Time that the account of a deleted Tenant is kept. A Tenant of the same name continues it.',
    90,
    1,
    36_500,
  ),
  KEY_RETENTION_DAYS: integer(
    'Days after which a revoked key is removed from Redis, and after which an expired ApiKey of a cluster is deleted.',
    30,
    1,
    3650,
  ),
  JOURNAL_FOLDER: text(
    'Folder to which the journal is exported (docs/journal.md). All operators of an installation must share it. If empty, the journal is not exported, and Redis keeps only its newest entries.',
    '',
  ),
  JOURNAL_EXPORT_INTERVAL_MS: integer('Interval at which new journal entries are exported.', 5000, 100, 3_600_000),
  JOURNAL_EXPORTED_MINUTES: integer(
    'Age in minutes at which an exported journal entry is deleted from Redis. After that, a repeated settlement is no longer recognized as a repetition.',
    10,
    1,
    1440,
  ),
  JOURNAL_RETENTION_DAYS: integer('Days that a journal entry stays in Redis if it is not exported.', 30, 1, 3650),
  LEDGER_ID_FILE: text(
    'File for the ledger id if resources are files. By this id the operator detects an emptied or wrong Redis. The consumption of tenants is stored next to this file. If empty, the operator detects this only until it restarts.',
    '',
  ),
  LEDGER_INTERVAL_MS: integer('Interval of the check that Redis still contains the ledger.', 2000, 10, 60_000),
  LEDGER_CONFIG_MAP: text('Name of the ConfigMap for the ledger id, in a cluster.', 'svc-asr-ledger'),
  SCALING_INTERVAL_MS: integer('Interval at which each pool is reconciled with its load.', 1000, 10, 60_000),
  MAX_ROLLOUTS: integer(
    'Number of models whose workers are replaced at the same time after a change. Rollouts of other models wait. 0 sets no limit.',
    3,
    0,
    10_000,
  ),
  WORKER_PROGRAM: text(
    'Path of the worker program, which the operator runs as local processes. If empty, workers are started by other means.',
    '',
  ),
  MODEL_ROOT: text('Base folder for a relative spec.artifact.path.', '.'),
  WORKER_STATE_FOLDER: text(
    'Folder with a record of each worker process. A restarted operator finds its workers there.',
    '.svc-asr/workers',
  ),
  WORKER_LOG_FOLDER: text('Folder for the logs of worker processes, one file per process.', '.svc-asr/logs'),
  WORKER_START_TIMEOUT_MS: integer(
    'Time after which a worker that is not ready for sessions counts as failed.',
    120_000,
    100,
    3_600_000,
  ),
  WORKER_LOST_TIMEOUT_MS: integer(
    'Time after which a running worker without a lease in Redis counts as hung and is replaced.',
    10_000,
    100,
    3_600_000,
  ),
  WORKER_STOP_GRACE_MS: integer(
    'Time that a stopping worker has to move its streams before it is killed. At most four fifths of STOP_GRACE_MS.',
    8000,
    0,
    600_000,
  ),
  ...CLUSTER_SETTINGS,
  STOP_GRACE_MS: integer('Maximum time of a shutdown.', 10_000, 0, 600_000),
} as const;

export type OperatorSettings = ValuesOf<typeof OPERATOR_SETTINGS>;
