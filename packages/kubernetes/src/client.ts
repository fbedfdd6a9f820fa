import type { KubeApi } from './api.ts';
import { KubernetesError } from './kubernetes-error.ts';
import type { KubeList, KubeObject, ResourceType } from './objects.ts';
import type { PathParts } from './paths.ts';
import { createRequester } from './requester.ts';
import type { ApiRequest, RequesterOptions } from './requester.ts';
import type { Transport } from './transport.ts';
import { watchObjects } from './watch.ts';

export interface KubeApiOptions extends RequesterOptions {
  /** Field manager under which this client writes fields. */
  fieldManager: string;
  /** Separate connections for watches. On shared connections, watches would block other requests. */
  watchTransport: Transport;
}

const JSON_TYPE = 'application/json';
const APPLY_TYPE = 'application/apply-patch+yaml';
const MERGE_TYPE = 'application/merge-patch+json';

/** Creates the client of one namespace. */
export function createKubeApi(options: KubeApiOptions): KubeApi {
  const { namespace, fieldManager, access, transport, watchTransport, timeoutMs, onRequest } = options;
  const request = createRequester(options);
  const requestObject = async (one: ApiRequest) => JSON.parse((await request(one)).text) as KubeObject;
  const apply = (type: ResourceType, value: KubeObject, parts: Pick<PathParts, 'subresource'> = {}) =>
    requestObject({
      verb: 'apply',
      method: 'PATCH',
      type,
      parts: { name: value.metadata.name, ...parts, query: { fieldManager, force: true } },
      body: { type: APPLY_TYPE, value },
    });
  // Without strict validation, the server would drop unknown fields without an error.
  const strictly = { fieldManager, fieldValidation: 'Strict' };

  return {
    namespace,
    get: (type, name) => missingAsUndefined(requestObject({ verb: 'get', method: 'GET', type, parts: { name } })),
    list: async (type, { signal, ...query } = {}) => {
      const answer = await request({ verb: 'list', method: 'GET', type, parts: { query: { ...query } }, signal });
      const { items, ...page } = JSON.parse(answer.text) as KubeList | (Omit<KubeList, 'items'> & { items: null });
      // If an empty list is requested with metadata only, its `items` is null instead of an empty array.
      return { ...page, items: items ?? [] };
    },
    create: (type, value) =>
      requestObject({
        verb: 'create',
        method: 'POST',
        type,
        parts: { query: strictly },
        body: { type: JSON_TYPE, value },
      }),
    replace: (type, value) =>
      requestObject({
        verb: 'replace',
        method: 'PUT',
        type,
        parts: { name: value.metadata.name, query: strictly },
        body: { type: JSON_TYPE, value },
      }),
    apply: (type, value) => apply(type, value),
    applyStatus: (type, value) => apply(type, value, { subresource: 'status' }),
    mergePatch: (type, name, value, { subresource } = {}) =>
      requestObject({
        verb: 'patch',
        method: 'PATCH',
        type,
        parts: { name, ...(subresource !== undefined && { subresource }), query: { fieldManager } },
        body: { type: MERGE_TYPE, value },
      }),
    delete: async (type, name, { uid, resourceVersion, propagation = 'Background' } = {}) => {
      const preconditions = {
        ...(uid !== undefined && { uid }),
        ...(resourceVersion !== undefined && { resourceVersion }),
      };
      const value = {
        kind: 'DeleteOptions',
        apiVersion: 'v1',
        propagationPolicy: propagation,
        ...(Object.keys(preconditions).length > 0 && { preconditions }),
      };
      await missingAsUndefined(
        request({ verb: 'delete', method: 'DELETE', type, parts: { name }, body: { type: JSON_TYPE, value } }),
      );
    },
    watch: (type, watch) =>
      watchObjects({ transport: watchTransport, namespace, timeoutMs, access, onRequest }, type, watch),
    within: (other) => createKubeApi({ ...options, namespace: other }),
    close: () => {
      transport.close();
      watchTransport.close();
    },
  };
}

/** Returns the result of a request, or undefined if its object does not exist. */
async function missingAsUndefined<T>(result: Promise<T>): Promise<T | undefined> {
  try {
    return await result;
  } catch (error) {
    if (error instanceof KubernetesError && error.status === 404 && error.reason === 'NotFound') return undefined;
    throw error;
  }
}
