import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '../../../test/support/eventually.ts';
import type { Kubernetes } from '../../../test/support/kubernetes.ts';
import { demand } from '../../../test/support/kubernetes/request.ts';
import { runTool } from './helm.ts';
import { buildStrictSchemas, SCHEMA_FILE } from './strict-schemas.ts';
import type { OpenApi } from './strict-schemas.ts';

/** The API server tells of new kinds a little after it takes objects of them. */
const TOLD_WITHIN_MS = 60_000;

/** What kubeconform says of objects. */
export interface Verdict {
  /** How many are as they should be. */
  valid: number;
  /** What is wrong, one each; none: all is well. */
  complaints: string[];
}

/** kubeconform with schemas of an API server. */
export interface Conform {
  /** Holds manifests, as helm renders them, against the schemas; an object without one is an error. */
  check: (manifests: string) => Promise<Verdict>;
  close: () => void;
}

export interface ConformOptions {
  /** A kind that was defined before and has to be among the schemas. */
  definition: string;
  /** Kinds that are not looked at. */
  skip: readonly string[];
}

/** Makes schemas of what the API server tells of its types. */
export async function createConform(
  kubernetes: Pick<Kubernetes, 'request'>,
  options: ConformOptions,
): Promise<Conform> {
  const openApi = await eventually(`the API server tells of ${options.definition}`, TOLD_WITHIN_MS, async () => {
    const told = (await demand(kubernetes.request('GET', '/openapi/v2'))) as OpenApi;
    return options.definition in told.definitions && told;
  });
  const folder = mkdtempSync(join(tmpdir(), 'svc-asr-schemas-'));
  for (const [file, schema] of buildStrictSchemas(openApi)) writeFileSync(join(folder, file), JSON.stringify(schema));
  const places = ['-schema-location', join(folder, SCHEMA_FILE), '-skip', options.skip.join(',')];
  return {
    check: async (manifests) => {
      const args = ['-strict', '-summary', '-output', 'json', ...places];
      const { stdout, stderr } = await runTool('kubeconform', args, { input: manifests });
      if (!stdout.startsWith('{')) throw new Error(`kubeconform says: ${stderr}${stdout}`);
      const { resources, summary } = JSON.parse(stdout) as {
        resources: { kind: string; name: string; msg: string }[] | null;
        summary: { valid: number };
      };
      return {
        valid: summary.valid,
        complaints: (resources ?? []).map(({ kind, name, msg }) => `${kind} ${name}: ${msg}`),
      };
    },
    close: () => rmSync(folder, { recursive: true, force: true }),
  };
}
