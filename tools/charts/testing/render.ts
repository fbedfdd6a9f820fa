import { parseAllDocuments } from 'yaml';
import { CHART_FOLDER } from '../place.ts';
import { helm } from './helm.ts';

/** An object that the chart renders. */
export interface ChartObject {
  apiVersion: string;
  kind: string;
  metadata: {
    name: string;
    namespace?: string;
    labels?: Record<string, string>;
    annotations?: Record<string, string>;
  };
  [field: string]: unknown;
}

export const RELEASE = 'svc-asr';
export const NAMESPACE = 'asr';

const rendered = new Map<string, Promise<string>>();

/** Renders the chart with values, as text. Each test file renders the same values only once. */
export function renderText(values: object, namespace: string): Promise<string> {
  const input = JSON.stringify(values);
  const key = `${namespace} ${input}`;
  const args = ['template', RELEASE, CHART_FOLDER, '--namespace', namespace, '--kube-version', '1.36.0', '-f', '-'];
  const text = rendered.get(key) ?? helm(args, input);
  rendered.set(key, text);
  return text;
}

/** Parses the output of helm. */
export function parseObjects(text: string): ChartObject[] {
  return parseAllDocuments(text)
    .map((document) => document.toJS() as ChartObject | null)
    .filter((object) => object !== null);
}

/** Renders the chart with values. */
export async function render(values: object = {}, namespace = NAMESPACE): Promise<ChartObject[]> {
  return parseObjects(await renderText(values, namespace));
}

/** Returns the object with a kind and a name. The name does not include the release name. */
export function find(objects: readonly ChartObject[], kind: string, name: string): ChartObject {
  const full = `${RELEASE}-${name}`;
  const found = objects.find((object) => object.kind === kind && object.metadata.name === full);
  if (found === undefined) throw new Error(`there is no ${kind} ${full}`);
  return found;
}

/** Pod template of a workload, or a pod itself. */
export interface PodTemplate {
  metadata?: object;
  spec: {
    containers: { name: string; image?: string; env?: { name: string; value?: string }[] }[];
    [field: string]: unknown;
  };
}

/** Returns all pod templates of the objects, by kind and name. */
export function podsOf(objects: readonly ChartObject[]): [string, PodTemplate][] {
  return objects.flatMap((object): [string, PodTemplate][] => {
    const name = `${object.kind} ${object.metadata.name}`;
    if (object.kind === 'Pod') return [[name, { metadata: object.metadata, spec: object.spec as PodTemplate['spec'] }]];
    const { template } = (object.spec ?? {}) as { template?: PodTemplate };
    return template?.spec === undefined ? [] : [[name, template]];
  });
}
