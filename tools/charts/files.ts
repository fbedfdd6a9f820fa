import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { format } from 'oxfmt';
import { root } from '../launch/terminal.mjs';
import { CHART, CHART_FOLDER } from './place.ts';
import { buildReadme } from './readme.ts';
import { buildValuesSchema, parseValues } from './values.ts';

const REDIS_USERS = ['gateway', 'operator', 'worker', 'console'];

/** Builds every generated file of the chart, by its path from the root of the repository. */
export async function buildChartFiles(): Promise<Readonly<Record<string, string>>> {
  const values = parseValues(readChartFile('values.yaml'));
  const redisUsers = Object.fromEntries(
    REDIS_USERS.map((user) => [user, readChartFile(`files/redis-users/${user}.acl`)]),
  );
  const schema = await format('values.schema.json', JSON.stringify(buildValuesSchema(values)), { printWidth: 120 });
  return {
    [`${CHART}/values.schema.json`]: schema.code,
    [`${CHART}/README.md`]: buildReadme({ values, redisUsers }),
    // A packaged chart contains only its own folder, so the CustomResourceDefinitions are copied into it.
    ...Object.fromEntries(
      readdirSync(join(root, 'crds'))
        .filter((name) => name.endsWith('.yaml'))
        .map((name) => [`${CHART}/files/crds/${name}`, readFileSync(join(root, 'crds', name), 'utf8')]),
    ),
  };
}

/** Reads a file of the chart. */
export function readChartFile(name: string): string {
  return readFileSync(join(CHART_FOLDER, name), 'utf8');
}
