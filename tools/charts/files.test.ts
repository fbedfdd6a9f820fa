import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { GATEWAY_METRICS } from '../../gateway/src/telemetry/metric-list.ts';
import { root } from '../launch/terminal.mjs';
import { buildChartFiles, readChartFile } from './files.ts';
import { CHART_FOLDER } from './place.ts';
import { parseValues } from './values.ts';
import type { Value } from './values.ts';

const all = (values: readonly Value[]): Value[] => values.flatMap((value) => [value, ...all(value.children)]);
const values = all(parseValues(readChartFile('values.yaml')));

test('the generated files of the chart are up to date (run `npm run charts` to update them)', async () => {
  for (const [name, content] of Object.entries(await buildChartFiles())) {
    expect([name, readFileSync(join(root, name), 'utf8')]).toEqual([name, content]);
  }
});

test('the chart contains exactly the CustomResourceDefinitions of crds/', () => {
  const names = (folder: string) => readdirSync(folder).filter((name) => name.endsWith('.yaml'));
  expect(names(join(CHART_FOLDER, 'files/crds'))).toEqual(names(join(root, 'crds')));
});

test('every value in values.yaml has a comment that describes it', () => {
  expect(values.length).toBeGreaterThan(150);
  expect(values.filter(({ description }) => !/^\S.*[.:]$/.test(description)).map(({ path }) => path)).toEqual([]);
});

test('the chart, the app and package.json have the same version', () => {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
  expect(parse(readChartFile('Chart.yaml'))).toMatchObject({ version, appVersion: version });
});

test('the annotations for Artifact Hub name every kind that the chart defines', () => {
  const { annotations } = parse(readChartFile('Chart.yaml')) as { annotations: Record<string, string> };
  const listed = (parse(annotations['artifacthub.io/crds'] ?? '') as { name: string }[]).map(({ name }) => name);
  const defined = readdirSync(join(CHART_FOLDER, 'files/crds')).map(
    (name) => (parse(readChartFile(`files/crds/${name}`)) as { metadata: { name: string } }).metadata.name,
  );
  expect(listed.sort()).toEqual(defined.sort());
});

test('the default metric of the gateway autoscaler is one that gateways export', () => {
  const { fallback } = values.find(({ path }) => path === 'gateway.autoscaling.audioMemory.metric') ?? {};
  expect(Object.values(GATEWAY_METRICS).map(({ name }) => name)).toContain(fallback);
});
