import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { promisify } from 'node:util';
import { eventually } from '../../test/support/eventually.ts';
import { startService, stopServices } from '../../test/support/service.ts';
import type { Service } from '../../test/support/service.ts';
import { logProgress, messageOf } from '../launch/terminal.mjs';
import { playCalls } from './calls.ts';
import type { CompatCase } from './cases.ts';
import { addComparisons, compareTranscripts } from './compare.ts';
import type { Comparison } from './compare.ts';
import { ensureClient } from './environment.ts';
import type { ClientEnvironment } from './environment.ts';
import { decodePhone, encodePhone, phoneSeconds } from './mulaw.ts';
import { NativeReference } from './native.ts';
import type { Latency } from './native.ts';
import { countSeconds, startRecorder } from './recorder.ts';
import { encodeRecordings, readRecordings } from './recordings.ts';
import type { RecordedModel } from './recordings.ts';
import type { CaseResult } from './table.ts';

/** Credit of each tenant, in seconds. */
const CREDIT_SECONDS = 7200;
/** Silence that ends an utterance in the program of test/compat/twilio. */
const CALL_SILENCE_MS = 500;
const CLIENT_TIMEOUT_MS = 10 * 60_000;
const SETTLED_WITHIN_MS = 60_000;
const runFile = promisify(execFile);

/** A running service, and a client of its native protocol. */
interface Reference {
  readonly service: Service;
  /** File with the CA of the service. */
  readonly caFile: string;
  readonly models: readonly RecordedModel[];
  readonly native: NativeReference;
}

/** Runs cases one after the other against one service. Returns their results in order. */
export async function runCases(cases: readonly CompatCase[]): Promise<CaseResult[]> {
  const environments = new Map<string, ClientEnvironment>();
  try {
    for (const { client } of cases) {
      if (!environments.has(client.folder)) environments.set(client.folder, await ensureClient(client));
    }
    const reference = await startReference();
    const results: CaseResult[] = [];
    for (const each of cases) {
      const environment = environments.get(each.client.folder);
      if (environment !== undefined) results.push(await runCase(each, environment, reference));
    }
    return results;
  } finally {
    for (const { remove } of environments.values()) remove();
    await stopServices();
  }
}

async function startReference(): Promise<Reference> {
  logProgress('starting the service');
  const service = await startService();
  const caFile = join(service.home, 'compat-ca.crt');
  writeFileSync(caFile, service.ca);
  setDefaultCACertificates([...getCACertificates('default'), service.ca]);
  const { key } = await service.tenant({ seconds: CREDIT_SECONDS });
  const models = readRecordings();
  const native = new NativeReference(service.baseUrl, key);
  for (const model of models) await native.prepare(model);
  return { service, caFile, models, native };
}

/** Outcome of a program for one model. */
interface Outcome {
  readonly comparison: Comparison;
  /**
   * Seconds that the service must charge for the sessions of the program. The duration of each session is rounded up.
   */
  readonly expectedSeconds: number;
}

/** Runs a case with a tenant of its own, so that the balance of the tenant shows what the case was charged. */
async function runCase(
  compatCase: CompatCase,
  environment: ClientEnvironment,
  reference: Reference,
): Promise<CaseResult> {
  const { name, client, route, audio } = compatCase;
  const { service, models } = reference;
  logProgress(name);
  const tenant = await service.tenant({ seconds: CREDIT_SECONDS });
  const program = { ...environment, name: compatCase.program, key: tenant.key };
  const compare = COMPARE[audio];
  let outcomes: Outcome[] = [];
  let failure: string | undefined;
  try {
    const { format, latency } = compatCase;
    const encoded: RecordedModel[] = [];
    for (const model of models) {
      encoded.push(format === undefined ? model : await encodeRecordings(model, format, service.home));
    }
    outcomes = await Promise.all(encoded.map((model) => compare(program, reference, model, latency)));
  } catch (error) {
    failure = messageOf(error);
  }
  return {
    client: `${client.packageName} ${environment.version} (${client.language})`,
    route,
    comparison: addComparisons(outcomes.map(({ comparison }) => comparison)),
    expectedSeconds: outcomes.reduce((sum, { expectedSeconds }) => sum + expectedSeconds, 0),
    chargedSeconds: await readCharge(service, tenant.name),
    ...(failure !== undefined && { failure }),
  };
}

/** A program in test/compat that uses a client, and the API key with which it runs. */
interface Program extends ClientEnvironment {
  readonly name: string;
  readonly key: string;
}

/**
 * Compares transcripts of a program with native transcripts. The program and the native client send each file in a
 * session of its own.
 */
async function compareFiles(
  program: Program,
  reference: Reference,
  model: RecordedModel,
  latency: Latency,
): Promise<Outcome> {
  const native = await reference.native.transcribeFiles(model, latency);
  const lines = await runProgram(program, reference, model, reference.service.baseUrl);
  const expectedSeconds = model.recordings.reduce((sum, { seconds }) => sum + Math.ceil(seconds), 0);
  return { comparison: compareTranscripts(native, lines), expectedSeconds };
}

/**
 * Compares transcripts of a program with native transcripts of the audio that the program sent over realtime
 * connections.
 */
async function compareConnections(
  program: Program,
  reference: Reference,
  model: RecordedModel,
  latency: Latency,
): Promise<Outcome> {
  const recorder = await startRecorder(reference.service.baseUrl);
  try {
    const lines = await runProgram(program, reference, model, recorder.url);
    const native: string[] = [];
    for (const connection of recorder.connections) {
      native.push(...(await reference.native.transcribeConnection(model.id, connection, latency)));
    }
    return {
      comparison: { ...compareTranscripts(native, lines), files: model.recordings.length },
      expectedSeconds: recorder.connections.reduce((sum, each) => sum + Math.ceil(countSeconds(each)), 0),
    };
  } finally {
    recorder.close();
  }
}

/** Compares transcripts of a server for phone calls with native transcripts of the same mu-law audio. */
async function compareCalls(
  program: Program,
  reference: Reference,
  model: RecordedModel,
  latency: Latency,
): Promise<Outcome> {
  const calls = model.recordings.map(({ pcm }) => encodePhone(pcm));
  const options = { cwd: program.folder, env: buildEnvironment(program, reference, reference.service.baseUrl) };
  const lines = await playCalls(program.command, [program.name, model.id, model.language], options, calls);
  const native: string[] = [];
  for (const call of calls) {
    const connection = { rate: 16_000, silenceMs: CALL_SILENCE_MS, audio: [decodePhone(call)], commits: [] };
    native.push(...(await reference.native.transcribeConnection(model.id, connection, latency)));
  }
  return {
    comparison: { ...compareTranscripts(native, lines), files: calls.length },
    expectedSeconds: calls.reduce((sum, call) => sum + Math.ceil(phoneSeconds(call)), 0),
  };
}

const COMPARE = { files: compareFiles, connection: compareConnections, call: compareCalls };

/** Runs a program on the recordings of a model. Returns the lines that it prints. */
async function runProgram(
  program: Program,
  reference: Reference,
  { id, language, recordings }: RecordedModel,
  url: string,
): Promise<string[]> {
  const env = buildEnvironment(program, reference, url);
  const args = [program.name, id, language, ...recordings.map(({ path }) => path)];
  const options = {
    cwd: program.folder,
    env,
    timeout: CLIENT_TIMEOUT_MS,
    encoding: 'utf8',
    maxBuffer: 2 ** 26,
  } as const;
  const { stdout } = await runFile(program.command, args, options);
  return stdout.replace(/\n$/, '').split('\n');
}

/** Returns the environment of a program, with the variables that OpenAI's clients read. */
function buildEnvironment({ key }: Program, { caFile }: Reference, url: string): NodeJS.ProcessEnv {
  return {
    PATH: process.env.PATH,
    HOME: process.env.HOME,
    OPENAI_BASE_URL: `${url}/v1`,
    OPENAI_API_KEY: key,
    SSL_CERT_FILE: caFile,
    NODE_EXTRA_CA_CERTS: caFile,
  };
}

/** Waits until the sessions of a tenant are settled. Returns the seconds that they were charged. */
async function readCharge({ admin }: Service, tenant: string): Promise<number> {
  const { credits } = await eventually(`settled sessions of ${tenant}`, SETTLED_WITHIN_MS, async () => {
    const account = await admin.account(tenant);
    return account.live_sessions === 0 && account.credits.reserved_ms === 0 && account;
  });
  return credits.consumed_ms / 1000;
}
