import type { Kubernetes } from '../../../test/support/kubernetes.ts';
import { demand } from '../../../test/support/kubernetes/request.ts';
import type { ChartObject } from './render.ts';

interface ResourceList {
  resources: { name: string; kind: string; namespaced: boolean }[];
}

/** Returns the error of the API server for an object, or undefined if it accepts the object. Nothing is stored. */
export type DryRun = (object: ChartObject) => Promise<string | undefined>;

/** Creates a dry run that calls the API server directly. kubectl would discover all types again on each call. */
export function createDryRun({ request }: Pick<Kubernetes, 'request'>): DryRun {
  const known = new Map<string, Promise<ResourceList>>();
  const answered = new Map<string, string | undefined>();
  const resourcesOf = (apiVersion: string) => {
    const path = apiVersion === 'v1' ? '/api/v1' : `/apis/${apiVersion}`;
    const list = known.get(path) ?? (demand(request('GET', path)) as Promise<ResourceList>);
    known.set(path, list);
    return { path, list };
  };

  async function ask({ apiVersion, kind, metadata }: ChartObject, body: string): Promise<string | undefined> {
    const { path, list } = resourcesOf(apiVersion);
    const type = (await list).resources.find((resource) => resource.kind === kind && !resource.name.includes('/'));
    if (type === undefined) return `${apiVersion} has no ${kind}`;
    const scope = type.namespaced ? `/namespaces/${metadata.namespace ?? 'without-namespace'}` : '';
    const options = 'dryRun=All&fieldManager=chart&force=true&fieldValidation=Strict';
    const { status, text } = await request(
      'PATCH',
      `${path}${scope}/${type.name}/${metadata.name}?${options}`,
      JSON.parse(body),
      'application/apply-patch+yaml',
    );
    return status === 200 || status === 201 ? undefined : `${kind} ${metadata.name}: ${String(status)} ${text}`;
  }

  return async (object) => {
    const body = JSON.stringify(object);
    if (!answered.has(body)) answered.set(body, await ask(object, body));
    return answered.get(body);
  };
}
