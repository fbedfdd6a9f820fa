import type { KubeApi } from './api.ts';
import { apiVersionOf } from './objects.ts';
import type { KubeObject, ResourceType } from './objects.ts';

export interface ListAllOptions {
  labelSelector?: string | undefined;
  fieldSelector?: string | undefined;
  /** Number of objects per page. */
  pageSize: number;
  signal?: AbortSignal;
  /** Returns the part of an object that is kept. If omitted, whole objects are kept. */
  trim?: (object: KubeObject) => KubeObject;
}

/**
 * Lists all objects of a type page by page. All pages show the state of the first page. If the server discards that
 * state before the last page, it responds with 410. The caller must then list again from the first page.
 */
export async function listAll(
  api: Pick<KubeApi, 'list'>,
  type: ResourceType,
  { labelSelector, fieldSelector, pageSize, signal, trim = (object) => object }: ListAllOptions,
): Promise<{ objects: KubeObject[]; resourceVersion: string }> {
  const objects: KubeObject[] = [];
  const selected = {
    ...(labelSelector !== undefined && { labelSelector }),
    ...(fieldSelector !== undefined && { fieldSelector }),
  };
  let token: string | undefined;
  for (;;) {
    const { items, metadata } = await api.list(type, {
      ...selected,
      limit: pageSize,
      ...(token !== undefined && { continue: token }),
      ...(signal && { signal }),
    });
    // In lists of built-in types, the items have neither kind nor apiVersion.
    for (const item of items) objects.push(trim({ ...item, apiVersion: apiVersionOf(type), kind: type.kind }));
    token = metadata.continue;
    if (token === undefined || token === '') return { objects, resourceVersion: metadata.resourceVersion };
  }
}
