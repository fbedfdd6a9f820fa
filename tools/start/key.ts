import { messageOf } from '../launch/terminal.mjs';
import { request } from './request.ts';

export const LOCAL_TENANT = 'local';

/** Address and token of the admin API. */
export interface AdminApi {
  url: string;
  token: string;
}

/** Returns whether the admin API lists this key for the local tenant. */
export async function keyExists(admin: AdminApi, key: string): Promise<boolean> {
  const answer = (await call(admin, 'GET', `/keys?tenant=${LOCAL_TENANT}`)) as { data?: { key_id?: unknown }[] };
  return (answer.data ?? []).some(({ key_id: id }) => id === keyIdOf(key));
}

/** Creates a key for the local tenant. */
export async function createKey(admin: AdminApi): Promise<string> {
  const { key } = (await call(admin, 'POST', '/keys', { tenant: LOCAL_TENANT, name: 'npm start' })) as {
    key?: unknown;
  };
  if (typeof key !== 'string') throw new Error('the admin API created a key, but its response does not contain it');
  return key;
}

/** Returns a path of the console. The first browser that opens it is signed in as the local tenant. */
export async function createConsolePath(admin: AdminApi): Promise<string> {
  const { path } = (await call(admin, 'POST', `/tenants/${LOCAL_TENANT}/sign-in`)) as { path?: unknown };
  if (typeof path !== 'string') throw new Error('the admin API created a sign-in code, but its response has no path');
  return path;
}

/** Returns undefined if the gateway accepts the key, and otherwise the reason. */
export async function checkKey(baseUrl: string, key: string, ca: string): Promise<string | undefined> {
  try {
    const { status, body } = await request(`${baseUrl}/v1/usage`, { token: key, ca, timeoutMs: 2000 });
    return status === 200 ? undefined : `the gateway answers ${status} to the API key: ${bodyMessage(body)}`;
  } catch (error) {
    return `the gateway does not answer: ${messageOf(error)}`;
  }
}

/** Returns the public part of a key, or an empty string if the text is not a key. */
export function keyIdOf(key: string): string {
  return /^svc_live_v1_([0-9A-Za-z]{10})_/.exec(key)?.[1] ?? '';
}

async function call(admin: AdminApi, method: string, path: string, body?: unknown): Promise<unknown> {
  const url = `${admin.url}/admin/v1${path}`;
  const answer = await request(url, { method, token: admin.token, ...(body !== undefined && { body }) });
  if (answer.status >= 300) {
    throw new Error(
      `${method} /admin/v1${path.split('?')[0] ?? ''} answered ${answer.status}: ${bodyMessage(answer.body)}`,
    );
  }
  return JSON.parse(answer.body);
}

function bodyMessage(body: string): string {
  try {
    const { error } = JSON.parse(body) as { error?: { message?: unknown } };
    if (typeof error?.message === 'string') return error.message;
  } catch {
    // The body is not one of our errors, so it is returned as text.
  }
  return body.slice(0, 200);
}
