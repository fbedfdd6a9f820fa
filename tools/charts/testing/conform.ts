import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '../../../test/support/eventually.ts';
import type { Kubernetes } from '../../../test/support/kubernetes.ts';
import { demand } from '../../../test/support/kubernetes/request.ts';
import { runTool } from './helm.ts';
import { buildStrictSchemas, SCHEMA_FILE } from './strict-schemas.ts';
import type { OpenApi } from './strict-schemas.ts';

/**
 * Time limit for the API server to publish the schemas of new kinds. The server publishes them some time after it
 * accepts objects of these kinds.
 */
const PUBLISHED_WITHIN_MS = 60_000;

/** Result of kubeconform. */
export interface Verdict {
  /** Number of valid objects. */
  valid: number;
  /** Problems found, one entry each. */
  problems: string[];
}

/** Checks manifests with kubeconform against the schemas of an API server. */
export interface Conform {
  /** Checks manifests as helm renders them. An object without a schema is an error. */
  check: (manifests: string) => Promise<Verdict>;
  close: () => void;
}

export interface ConformOptions {
  /**
   * Name of a definition in the OpenAPI document of the API server, such as a CRD that was just applied. createConform
   * waits until the document contains it.
   */
  definition: string;
  /** Kinds that are not checked. */
  skip: readonly string[];
}

/** Creates a checker from the OpenAPI document of the API server. */
export async function createConform(
  kubernetes: Pick<Kubernetes, 'request'>,
  options: ConformOptions,
): Promise<Conform> {
  const openApi = await eventually(`the API server publishes ${options.definition}`, PUBLISHED_WITHIN_MS, async () => {
    const openApi = (await demand(kubernetes.request('GET', '/openapi/v2'))) as OpenApi;
    return options.definition in openApi.definitions && openApi;
  });
  const folder = mkdtempSync(join(tmpdir(), 'svc-asr-schemas-'));
  for (const [file, schema] of buildStrictSchemas(openApi)) writeFileSync(join(folder, file), JSON.stringify(schema));
  const places = ['-schema-location', join(folder, SCHEMA_FILE), '-skip', options.skip.join(',')];
  return {
    check: async (manifests) => {
      const args = ['-strict', '-summary', '-output', 'json', ...places];
      const { stdout, stderr } = await runTool('kubeconform', args, { input: manifests });
      if (!stdout.startsWith('{')) throw new Error(`kubeconform failed: ${stderr}${stdout}`);
      const { resources, summary } = JSON.parse(stdout) as {
        resources: { kind: string; name: string; msg: string }[] | null;
        summary: { valid: number };
      };
      return {
        valid: summary.valid,
        problems: (resources ?? []).map(({ kind, name, msg }) => `${kind} ${name}: ${msg}`),
      };
    },
    close: () => rmSync(folder, { recursive: true, force: true }),
  };
}
