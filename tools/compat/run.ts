import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { promisify } from 'node:util';
import { eventually } from '../../test/support/eventually.ts';
import { startService, stopServices } from '../../test/support/service.ts';
import type { Service } from '../../test/support/service.ts';
import { logProgress, messageOf } from '../launch/terminal.mjs';
import type { CompatCase } from './cases.ts';
import { addComparisons, compareTranscripts } from './compare.ts';
import type { Comparison } from './compare.ts';
import { ensureClient } from './environment.ts';
import type { ClientEnvironment } from './environment.ts';
import { transcribeNatively } from './native.ts';
import { readRecordings } from './recordings.ts';
import type { RecordedModel } from './recordings.ts';
import type { CaseResult } from './table.ts';

/** Credit of each tenant, in seconds. */
const CREDIT_SECONDS = 7200;
const CLIENT_TIMEOUT_MS = 10 * 60_000;
const SETTLED_WITHIN_MS = 60_000;
const runFile = promisify(execFile);

/** A running service, and the native transcripts of its models. */
interface Reference {
  readonly service: Service;
  /** File with the CA of the service. */
  readonly caFile: string;
  readonly models: readonly RecordedModel[];
  /** Transcripts of the recordings, by model. */
  readonly native: ReadonlyMap<string, readonly string[]>;
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
  const native = new Map<string, readonly string[]>();
  for (const model of models) native.set(model.id, await transcribeNatively(service.baseUrl, key, model));
  return { service, caFile, models, native };
}

/** Runs a case with a tenant of its own, so that its balance shows what the case was charged. */
async function runCase(
  compatCase: CompatCase,
  environment: ClientEnvironment,
  reference: Reference,
): Promise<CaseResult> {
  const { name, client, route, addedSeconds } = compatCase;
  const { service, models } = reference;
  logProgress(name);
  const tenant = await service.tenant({ seconds: CREDIT_SECONDS });
  const seconds = models.flatMap(({ recordings }) => recordings.map((file) => file.seconds + addedSeconds));
  const comparisons: Comparison[] = [];
  let failure: string | undefined;
  try {
    for (const model of models) {
      const lines = await runProgram(compatCase.program, environment, reference, model, tenant.key);
      comparisons.push(compareTranscripts(reference.native.get(model.id) ?? [], lines));
    }
  } catch (error) {
    failure = messageOf(error);
  }
  return {
    client: `${client.packageName} ${environment.version} (${client.language})`,
    route,
    comparison: addComparisons(comparisons),
    expectedSeconds: seconds.reduce((sum, each) => sum + Math.ceil(each), 0),
    chargedSeconds: await readCharge(service, tenant.name),
    ...(failure !== undefined && { failure }),
  };
}

/** Runs a program of a client on the recordings of a model. Returns the lines that it prints. */
async function runProgram(
  program: string,
  { command, folder }: ClientEnvironment,
  { service, caFile }: Reference,
  { id, language, recordings }: RecordedModel,
  key: string,
): Promise<string[]> {
  const env = {
    PATH: process.env.PATH,
    HOME: process.env.HOME,
    OPENAI_BASE_URL: `${service.baseUrl}/v1`,
    OPENAI_API_KEY: key,
    SSL_CERT_FILE: caFile,
    NODE_EXTRA_CA_CERTS: caFile,
  };
  const args = [program, id, language, ...recordings.map(({ path }) => path)];
  const options = { cwd: folder, env, timeout: CLIENT_TIMEOUT_MS, encoding: 'utf8' } as const;
  const { stdout } = await runFile(command, args, options);
  return stdout.trimEnd().split('\n');
}

/** Waits until the sessions of a tenant are settled. Returns the seconds that they were charged. */
async function readCharge({ admin }: Service, tenant: string): Promise<number> {
  const { credits } = await eventually(`settled sessions of ${tenant}`, SETTLED_WITHIN_MS, async () => {
    const account = await admin.account(tenant);
    return account.live_sessions === 0 && account.credits.reserved_ms === 0 && account;
  });
  return credits.consumed_ms / 1000;
}
