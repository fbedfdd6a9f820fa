import { randomUUID } from 'node:crypto';
import { createLogger, createTelemetry, followFile, orExit, parseTicketPublicKeys } from '@svc-asr/runtime';
import { runService, startAdmin } from '@svc-asr/runtime';
import type { Logger, StopStep } from '@svc-asr/runtime';
import { endWith } from './failure.ts';
import { readModelSettings } from './guests.ts';
import { loadEngines } from './load.ts';
import type { LoadedModel } from './load.ts';
import { openModel, orFailure } from './service.ts';
import type { ModelService, OpenModel, ServiceOptions } from './service.ts';
import type { WorkerSettings } from './settings.ts';

/** Time limit for the shutdown steps after the worker has drained. */
const STOP_MS = 10_000;

/** Runs the worker, from reading its settings to the last shutdown step. */
export async function run(): Promise<void> {
  const models = orExit('worker', () => readModelSettings());
  const [settings] = models;
  const logger = createLogger('worker', settings.LOG_LEVEL);
  const [first, ...guests] = models.map((one) => ({ settings: one, logger: logger.child({ model: one.MODEL }) }));
  if (first === undefined) throw new Error('the worker has no model');
  await runService(first.logger, settings.DRAIN_TIMEOUT_MS + STOP_MS, () => startWorker(first, guests));
}

/** A model with its settings. */
interface ConfiguredModel {
  settings: WorkerSettings;
  logger: Logger;
}

/** Starts the components of the worker and returns the steps that stop them. */
async function startWorker(first: ConfiguredModel, guests: readonly ConfiguredModel[]): Promise<StopStep[]> {
  const { settings, logger } = first;
  const id = settings.WORKER_ID === '' ? randomUUID() : settings.WORKER_ID;
  // Only checks the file, so that an invalid file is reported before the models are loaded. The I/O threads later read
  // the file again when it changes.
  followFile(settings.WORKER_TICKET_PUBLIC_KEYS_FILE, parseTicketPublicKeys, { logger }).stop();
  const telemetry = await createTelemetry('worker', settings, logger);
  /**
   * Checks of the admin port. They are replaced when the models are loaded, because the port already answers before
   * that.
   */
  const checks = { live: (): Problem => undefined, ready: (): Problem => 'the model is being loaded' };
  const admin = await startAdmin({
    host: settings.ADMIN_HOST,
    port: settings.ADMIN_PORT,
    metrics: telemetry.metrics,
    live: () => checks.live(),
    ready: () => checks.ready(),
  });

  const loaded: LoadedModel<ConfiguredModel>[] = await loadEngines([first, ...guests]);
  const services: ModelService[] = [];
  // If the pool of one model asks the worker to drain, the worker drains all of its models.
  let isDraining = false;
  const onDrain = () => {
    if (isDraining) return;
    isDraining = true;
    for (const { drain, registration } of services) {
      drain.start();
      registration.drain().catch((err: unknown) => logger.warn({ err }, 'the drain could not be reported yet'));
    }
  };
  const opening = openAll(loaded.map(({ model, engine }) => ({ id, engine, telemetry, onDrain, ...model })));
  const opened = await orFailure(
    loaded.map(({ engine }) => engine),
    opening,
  );
  services.push(...opened.map(({ register }) => register()));
  checks.live = () => findStall(services, settings.HANG_TIMEOUT_MS);
  checks.ready = () => findUnready(services);
  for (const { engine } of services) engine.once('failed', (err) => void endWith(err, { services, logger }));

  const each = (stop: (service: ModelService) => Promise<void> | void) => async () => {
    await Promise.all(services.map(async (service) => stop(service)));
  };
  return [
    { name: 'refuse new streams', stop: each(({ relay }) => relay.refuse()) },
    { name: 'report the drain', stop: each(({ registration }) => registration.drain()) },
    { name: 'move streams', stop: each(({ drain }) => drain.finish()) },
    { name: 'leave the ledger', stop: each(({ registration }) => registration.stop()) },
    { name: 'close the ports', stop: each(({ relay }) => relay.close()) },
    {
      name: 'stop watching',
      stop: each(({ watch, follower }) => {
        watch.stop();
        follower.stop();
      }),
    },
    { name: 'stop the engine', stop: each(({ engine }) => engine.close()) },
    { name: 'close Redis', stop: each(({ disconnect }) => disconnect()) },
    { name: 'close the admin port', stop: () => void admin.close() },
    { name: 'send the last telemetry', stop: () => telemetry.stop() },
  ];
}

/**
 * Opens models one after the other. So each model is measured while no other model runs. No model has streams until all
 * models are open.
 */
async function openAll(models: readonly ServiceOptions[]): Promise<OpenModel[]> {
  const opened: OpenModel[] = [];
  for (const model of models) opened.push(await openModel(model));
  return opened;
}

/** Reason why a check fails. Undefined if the check passes. */
type Problem = string | undefined;

function findStall(services: readonly Pick<ModelService, 'watch'>[], hangTimeoutMs: number): Problem {
  return services.every(({ watch }) => watch.stalledMs < hangTimeoutMs) ? undefined : 'inference makes no progress';
}

function findUnready(services: readonly Pick<ModelService, 'registration'>[]): Problem {
  if (services.some(({ registration }) => registration.draining)) return 'draining';
  return services.every(({ registration }) => registration.registered) ? undefined : 'not registered in Redis yet';
}
