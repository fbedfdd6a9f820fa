import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createApi } from './api.ts';
import type { Api } from './api.ts';

/** The API server, for a program that runs inside of the cluster. */
export interface Inside {
  api: Api;
  /** All objects of a path, from the server's cache: such programs ask often. */
  list: <T>(path: string) => Promise<T[]>;
}

/** Opens the API server with the certificates that lie in a folder. */
export function openInside(url: string, certificates: string): Inside {
  const read = (name: string) => readFileSync(join(certificates, name), 'utf8');
  const api = createApi(url, read('ca.pem'), { cert: read('server.pem'), key: read('server.key') });
  return {
    api,
    list: async <T>(path: string) => {
      const { status, body } = await api('GET', `${path}?resourceVersion=0`);
      if (status !== 200) throw new Error(`${path} was answered with ${status}`);
      return (body as { items: T[] }).items;
    },
  };
}
