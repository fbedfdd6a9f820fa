import { parser } from '@prometheus-io/lezer-promql';
import { prometheusSeries } from '@svc-asr/runtime';
import { SERVICE_METRICS } from '../../tools/docs/service-metrics.ts';
import { readTenantMetricsConfig } from './chart-files.ts';

/** Labels that Prometheus adds when it scrapes and that queries may use. */
const SCRAPE_LABELS = ['namespace', 'pod', 'instance', 'job'];

/** Names of series with their labels, without the labels that the scrape adds. */
export type KnownSeries = ReadonlyMap<string, readonly string[]>;

/** Returns all series that the services export, and those of kube-state-metrics with the chart's configuration. */
export function readKnownSeries(): KnownSeries {
  const exported = Object.values(SERVICE_METRICS)
    .flatMap((list) => Object.values(list))
    .flatMap((definition) => {
      const labels = (definition.labels ?? []).map((label) => label.replaceAll('.', '_'));
      return prometheusSeries(definition).map(
        (name) => [name, name.endsWith('_bucket') ? [...labels, 'le'] : labels] as const,
      );
    });
  const tenants = readTenantMetricsConfig().spec.resources.flatMap(({ metricNamePrefix, labelsFromPath, metrics }) =>
    metrics.map(({ name, each: { stateSet } }) => {
      const labels = [...Object.keys(labelsFromPath), ...(stateSet === undefined ? [] : [stateSet.labelName])];
      return [`${metricNamePrefix}_${name}`, labels] as const;
    }),
  );
  return new Map([...exported, ...tenants]);
}

/** Returns the syntax errors of a query and its unknown metrics and labels. */
export function findQueryProblems(query: string, known: KnownSeries): string[] {
  const text = query.replaceAll('$__rate_interval', '5m');
  const textOf = ({ from, to }: { from: number; to: number }) => text.slice(from, to);
  const problems: string[] = [];
  const groupings: string[] = [];
  const available = new Set(SCRAPE_LABELS);
  parser.parse(text).iterate({
    enter: ({ node }) => {
      if (node.type.isError) problems.push(`syntax error at "${text.slice(node.from, node.from + 20)}"`);
      if (node.name === 'GroupingLabels') groupings.push(...node.getChildren('LabelName').map(textOf));
      if (node.name !== 'VectorSelector') return;
      const metric = textOf(node.getChild('Identifier') ?? { from: 0, to: 0 });
      const labels = known.get(metric);
      if (labels === undefined) problems.push(`no metric ${metric}`);
      for (const label of labels ?? []) available.add(label);
      const matchers = node.getChild('LabelMatchers')?.getChildren('UnquotedLabelMatcher') ?? [];
      const selected = matchers.flatMap((matcher) => matcher.getChildren('LabelName').map(textOf));
      const unknown = selected.filter((label) => ![...SCRAPE_LABELS, ...(labels ?? [])].includes(label));
      problems.push(...unknown.map((label) => `${metric} has no label ${label}`));
    },
  });
  const unknown = groupings.filter((label) => !available.has(label));
  return [...problems, ...unknown.map((label) => `no metric has the label ${label}`)];
}
