import { integer, list, REDIS_SETTINGS, SERVICE_SETTINGS } from '@svc-asr/runtime';
import type { ValuesOf } from '@svc-asr/runtime';

/** Settings of the operator. */
export const OPERATOR_SETTINGS = {
  ...SERVICE_SETTINGS,
  ...REDIS_SETTINGS,
  CONFIG_FOLDERS: list(
    'Folders whose .yaml, .yml and .json files hold the ASRModel, Tenant and ApiKey resources, separated by commas.',
    'config/local',
  ),
  CONFIG_POLL_MS: integer('Time between two looks at the folders.', 200, 10, 60_000),
  CONFIG_QUIET_MS: integer('How long a changed file must be at rest before it is read.', 200, 0, 60_000),
  CONFIG_DELETE_GRACE_MS: integer(
    'How long a resource must be missing from all files before it counts as deleted, so that files can be rewritten and resources moved between them.',
    1000,
    0,
    600_000,
  ),
  RECONCILE_CONCURRENCY: integer('How many resources are worked on at the same time.', 8, 1, 256),
  RETRY_BASE_MS: integer(
    'Wait after the first failure of a resource; it doubles with each further one.',
    100,
    1,
    60_000,
  ),
  RETRY_MAX_MS: integer('Longest wait between two tries of a resource.', 10_000, 1, 3_600_000),
  RESYNC_SECONDS: integer('Every resource is applied again after this time, changed or not.', 300, 1, 86_400),
  TENANT_RETENTION_DAYS: integer('How long the account of a deleted Tenant is kept, to be resumed.', 90, 1, 36_500),
  STOP_GRACE_MS: integer('How long stopping may take.', 10_000, 0, 600_000),
} as const;

export type OperatorSettings = ValuesOf<typeof OPERATOR_SETTINGS>;
