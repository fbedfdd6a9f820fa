import { parseAllDocuments } from 'yaml';
import { CHART_FOLDER } from '../place.ts';
import { helm } from './helm.ts';

/** An object of the chart, as far as tests look into it. */
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

/** What the chart makes of values, as text. */
export function renderText(values: object, namespace: string): Promise<string> {
  const args = ['template', RELEASE, CHART_FOLDER, '--namespace', namespace, '--kube-version', '1.36.0', '-f', '-'];
  return helm(args, JSON.stringify(values));
}

/** The objects in a text of helm's. */
export function parseObjects(text: string): ChartObject[] {
  return parseAllDocuments(text)
    .map((document) => document.toJS() as ChartObject | null)
    .filter((object) => object !== null);
}

/** What the chart makes of values. */
export async function render(values: object = {}, namespace = NAMESPACE): Promise<ChartObject[]> {
  return parseObjects(await renderText(values, namespace));
}

/** The object of a kind and name, less the name of the release. */
export function find(objects: readonly ChartObject[], kind: string, name: string): ChartObject {
  const full = `${RELEASE}-${name}`;
  const found = objects.find((object) => object.kind === kind && object.metadata.name === full);
  if (found === undefined) throw new Error(`there is no ${kind} ${full}`);
  return found;
}

/** A pod, as what makes it describes it. */
export interface PodTemplate {
  metadata?: object;
  spec: {
    containers: { name: string; image?: string; env?: { name: string; value?: string }[] }[];
    [field: string]: unknown;
  };
}

/** Every pod that objects make, by kind and name. */
export function podsOf(objects: readonly ChartObject[]): [string, PodTemplate][] {
  return objects.flatMap((object): [string, PodTemplate][] => {
    const name = `${object.kind} ${object.metadata.name}`;
    if (object.kind === 'Pod') return [[name, { metadata: object.metadata, spec: object.spec as PodTemplate['spec'] }]];
    const { template } = (object.spec ?? {}) as { template?: PodTemplate };
    return template?.spec === undefined ? [] : [[name, template]];
  });
}
