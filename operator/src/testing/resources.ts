import { stringify } from 'yaml';
import { API_VERSION } from '@svc-asr/core';

/** Returns a Tenant as an administrator writes it. */
export function tenant(name: string, spec: object = {}): object {
  return { apiVersion: API_VERSION, kind: 'Tenant', metadata: { name }, spec: { displayName: name, ...spec } };
}

/** Returns an ASRModel as an administrator writes it. */
export function model(name: string, spec: object = {}): object {
  const basics = { language: 'Kikuyu', languageCode: 'ki', artifact: { path: `/models/${name}` } };
  return { apiVersion: API_VERSION, kind: 'ASRModel', metadata: { name }, spec: { ...basics, ...spec } };
}

/** Returns an ApiKey as the console writes it. */
export function apiKey(keyId: string, tenantName: string, spec: object = {}): object {
  const basics = { tenant: tenantName, keyId, hash: 'a'.repeat(64), pepperId: 'p1', lastFour: 'x7Qa' };
  const metadata = { name: keyId.toLowerCase() };
  return { apiVersion: API_VERSION, kind: 'ApiKey', metadata, spec: { ...basics, ...spec } };
}

/** Returns the text of a file with these resources. */
export function yaml(...resources: object[]): string {
  return resources.map((resource) => stringify(resource)).join('---\n');
}
