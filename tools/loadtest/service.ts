import { setTimeout as sleep } from 'node:timers/promises';
import { LOAD_OPTIONS } from '../../loadtest/lib/options.ts';
import type { Options } from '../../loadtest/lib/options.ts';
import type { ScenarioName } from '../../loadtest/lib/scenarios.ts';
import { say } from '../launch/terminal.mjs';
import { readDeclaredSlots } from './declared-slots.ts';
import type { DeclaredSlots } from './declared-slots.ts';
import { findTarget } from './target.ts';
import type { Target } from './target.ts';

/** A model of our own service that exactly one worker serves: a pool that grows under the test would be another test. */
const OWN_MODEL = 'svc-asr-loadtest';
/** A ramp must be able to go beyond what the worker declared: another one like it takes so many times the streams. */
const RAMP_MODEL = 'svc-asr-loadtest-ramp';
const RAMP_HEADROOM = 3;
/** Its worker measures when the ramp is over. */
const AFTER_MODEL = 'svc-asr-loadtest-after';
const WORKER_WITHIN_MS = 120_000;
/** How long a service that is there may take to tell of a worker; a pool may be at zero. */
const LOOK_MS = 3000;
/** Gateways read the list of models once a second. */
const CATALOGUE_MS = 2000;

/** The service that is put under load. */
export interface Service {
  readonly target: Target;
  readonly model: string;
  /** 0: not known. */
  readonly declaredSlots: number;
  readonly name: string;
  /** Where worker processes of ours are written down. */
  readonly workerRecords: string | undefined;
  /** Lets another worker measure how many slots it declares; only a service of our own can. */
  readonly declareAgain?: () => Promise<number>;
}

export interface ServiceOptions {
  readonly scenario: ScenarioName;
  readonly options: Options;
  readonly env: NodeJS.ProcessEnv;
  /** Whether it must be one of our own, because its workers are tampered with. */
  readonly mustBeOwn: boolean;
  readonly signal: AbortSignal;
  readonly own: (stop: () => Promise<void>) => void;
}

/** Finds the service, or starts one. */
export async function provideService(request: ServiceOptions): Promise<Service> {
  const { options, env, mustBeOwn } = request;
  const target = mustBeOwn ? undefined : findTarget(options, env);
  if (target === undefined) return startOwn(request);
  const model = options.text('MODEL');
  const given = options.optional('DECLARED_SLOTS', 1, 1_000_000);
  const declaredSlots = given ?? (await lookForSlots(target.operatorUrl, model));
  return { target, model, declaredSlots, name: target.baseUrl, workerRecords: undefined };
}

/** The declared slots of a service that is there; 0, and the reason is told, where they cannot be had. */
async function lookForSlots(operatorUrl: string, model: string): Promise<number> {
  const found: DeclaredSlots =
    operatorUrl === ''
      ? { problem: 'neither DECLARED_SLOTS nor OPERATOR_URL is set' }
      : await readDeclaredSlots(operatorUrl, model, LOOK_MS);
  if ('slots' in found) return found.slots;
  say(`declared slots are not known: ${found.problem}`);
  return 0;
}

/** The slots of a worker that is about to come up. */
async function awaitSlots(operatorUrl: string, model: string, hint: string): Promise<number> {
  const found = await readDeclaredSlots(operatorUrl, model, WORKER_WITHIN_MS);
  if ('slots' in found) return found.slots;
  throw new Error(`no worker of ${model} came up${hint}: ${found.problem}`);
}

async function startOwn({ scenario, options, env, signal, own }: ServiceOptions): Promise<Service> {
  say('starting a service of its own');
  // Only here: what starts a service needs npm packages, which the image of the load tests does not have.
  const { startOwnService } = await import('./own-service.ts');
  const target = await startOwnService(env, signal, own);
  const model = options.text('MODEL');
  const facts = { target, name: 'a service of its own', workerRecords: target.workerRecords };
  // Workers that come up at the same time would measure each other.
  const slots = await awaitSlots(target.operatorUrl, model, ' (a model with scaling.min 1 is needed)');
  const provider = options.text('PROVIDER');
  const isUsual = provider === LOAD_OPTIONS.PROVIDER.fallback;
  const isNamed = (env.MODEL ?? '') !== '';
  if (isNamed && !isUsual) throw new Error(`PROVIDER=${provider} is for the worker of its own model: leave out MODEL`);
  if (isNamed || (scenario === 'smoke' && isUsual)) return { ...facts, model, declaredSlots: slots };
  target.addModel(OWN_MODEL, { slots: 0, provider });
  const declaredSlots = await awaitSlots(target.operatorUrl, OWN_MODEL, '');
  const isRamp = scenario === 'ramp-to-saturation';
  if (isRamp) {
    target.addModel(RAMP_MODEL, { slots: declaredSlots * RAMP_HEADROOM, provider });
    await awaitSlots(target.operatorUrl, RAMP_MODEL, '');
  }
  await sleep(CATALOGUE_MS, undefined, { signal });
  const declareAgain = () => {
    target.addModel(AFTER_MODEL, { slots: 0, provider });
    return awaitSlots(target.operatorUrl, AFTER_MODEL, '');
  };
  return { ...facts, model: isRamp ? RAMP_MODEL : OWN_MODEL, declaredSlots, declareAgain };
}
