import { setTimeout as sleep } from 'node:timers/promises';
import { LOAD_OPTIONS } from '../lib/options.ts';
import type { Options } from '../lib/options.ts';
import type { ScenarioName } from '../lib/scenarios.ts';
import { logProgress } from '../../tools/launch/terminal.mjs';
import { readDeclaredSlots } from './declared-slots.ts';
import { findTarget } from './target.ts';
import type { Target } from './target.ts';

/**
 * Model of the temporary service. It has exactly one worker, because a pool that scales up would change the result of
 * the test.
 */
const OWN_MODEL = 'svc-asr-loadtest';
/**
 * Model of the scenario `ramp-to-saturation`. The scenario runs more streams than the worker of OWN_MODEL has slots.
 * The worker of this model therefore gets a higher, fixed number of slots.
 */
const RAMP_MODEL = 'svc-asr-loadtest-ramp';
/** Number of slots of the worker of RAMP_MODEL, as a multiple of the slots that the worker of OWN_MODEL declares. */
const RAMP_HEADROOM = 3;
/** Model whose worker measures its slots after the run. */
const AFTER_MODEL = 'svc-asr-loadtest-after';
const WORKER_WITHIN_MS = 120_000;
/** Longest wait for a running service to report a worker. It is short, because the pool may be scaled to zero. */
const READ_SLOTS_MS = 3000;
/** Time after which all gateways know a new model. They reload the list of models once a second. */
const CATALOGUE_MS = 2000;

/** The service under load. */
export interface Service {
  readonly target: Target;
  readonly model: string;
  /** Number of declared slots. 0 if it is unknown. */
  readonly declaredSlots: number;
  readonly name: string;
  /** Folder in which a temporary service records its worker processes. */
  readonly workerRecords?: string;
  /** Address of the Redis of a temporary service. */
  readonly redisUrl?: string;
  /**
   * Reads the number of slots that are declared at the moment. Absent if the number is unknown, if DECLARED_SLOTS sets
   * it, and if a temporary service is tested with its configured model.
   */
  readonly readSlots?: () => Promise<number>;
  /** Starts another worker that measures its slots. Only a temporary service supports this. */
  readonly measureSlotsAgain?: () => Promise<number>;
}

/** Environment of a run, a signal that ends it early, and a function to register cleanup steps. */
export interface RunContext {
  readonly env: NodeJS.ProcessEnv;
  readonly signal: AbortSignal;
  /** Registers a cleanup step. Steps run once, in reverse order. */
  readonly addCleanup: (step: () => Promise<void> | void) => void;
}

export interface ServiceRequest extends RunContext {
  readonly scenario: ScenarioName;
  readonly options: Options;
  /** Whether a temporary service is required, because the test suspends its workers or limits their CPU. */
  readonly mustBeTemporary: boolean;
}

/**
 * Finds the service to test. Starts a temporary service if there is none, or if the request requires a temporary one.
 */
export async function provideService(request: ServiceRequest): Promise<Service> {
  const { options, env, mustBeTemporary } = request;
  const target = mustBeTemporary ? undefined : findTarget(options, env);
  if (target === undefined) return startTemporary(request);
  const model = options.text('MODEL');
  const given = options.optional('DECLARED_SLOTS', 1, 1_000_000);
  const declaredSlots = given ?? (await findSlots(target.operatorUrl, model));
  const isKnown = given === undefined && declaredSlots > 0;
  const readSlots = () => readDeclaredSlots(target.operatorUrl, model, READ_SLOTS_MS);
  return { target, model, declaredSlots, name: target.baseUrl, ...(isKnown && { readSlots }) };
}

/** Returns the declared slots of a running service. If they are unknown, logs the reason and returns 0. */
async function findSlots(operatorUrl: string, model: string): Promise<number> {
  try {
    if (operatorUrl === '') throw new Error('neither DECLARED_SLOTS nor OPERATOR_URL is set');
    return await readDeclaredSlots(operatorUrl, model, READ_SLOTS_MS);
  } catch (error) {
    logProgress(`the declared slots are unknown: ${error instanceof Error ? error.message : String(error)}`);
    return 0;
  }
}

async function startTemporary({ scenario, options, env, signal, addCleanup }: ServiceRequest): Promise<Service> {
  const provider = options.text('PROVIDER');
  const isDefaultProvider = provider === LOAD_OPTIONS.PROVIDER.fallback;
  const isNamed = (env.MODEL ?? '') !== '';
  if (isNamed && !isDefaultProvider) {
    throw new Error(`PROVIDER=${provider} cannot be used with MODEL. Unset one of them.`);
  }
  logProgress('starting a temporary service');
  // Imported only when needed, because starting a service needs npm packages, which the load test image does not have.
  const { MEASURED_SLOTS, startTemporaryService } = await import('./temporary-service.ts');
  const target = await startTemporaryService(env, signal, addCleanup);
  const { workerRecords, redisUrl } = target;
  const facts = { target, name: 'a temporary service', workerRecords, redisUrl };
  const readSlots = (model: string) => readDeclaredSlots(target.operatorUrl, model, WORKER_WITHIN_MS);
  const addModel = (model: string, slots: number) => {
    target.addModel(model, provider, slots);
    return readSlots(model);
  };

  // Waits for the worker of the configured model, even if the load test adds a model of its own. Otherwise, the workers
  // of both models would measure their slots at the same time and slow each other down.
  const model = options.text('MODEL');
  const declared = await readSlots(model);
  if (isNamed || (scenario === 'smoke' && isDefaultProvider)) return { ...facts, model, declaredSlots: declared };
  const declaredSlots = await addModel(OWN_MODEL, MEASURED_SLOTS);
  const isRamp = scenario === 'ramp-to-saturation';
  if (isRamp) await addModel(RAMP_MODEL, declaredSlots * RAMP_HEADROOM);
  await sleep(CATALOGUE_MS, undefined, { signal });
  return {
    ...facts,
    declaredSlots,
    model: isRamp ? RAMP_MODEL : OWN_MODEL,
    readSlots: () => readSlots(OWN_MODEL),
    measureSlotsAgain: () => addModel(AFTER_MODEL, MEASURED_SLOTS),
  };
}
