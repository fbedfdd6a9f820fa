import { API_VERSION } from '@svc-asr/core';
import type { Kind } from '@svc-asr/core';

/** A resource to send to the API server, valid or not. */
export interface Sent {
  apiVersion: string;
  kind: Kind;
  metadata: { name: string };
  spec: Record<string, unknown>;
  status?: unknown;
}

/** Returns a model with the required fields and those of `spec`. */
export function model(spec: object = {}, name = 'm'): Sent {
  const least = { language: 'Kikuyu', languageCode: 'ki', artifact: { path: '/models/m' } };
  return { apiVersion: API_VERSION, kind: 'ASRModel', metadata: { name }, spec: { ...least, ...spec } };
}

/** Returns a tenant with the required fields and those of `spec`. */
export function tenant(spec: object = {}, name = 't'): Sent {
  return { apiVersion: API_VERSION, kind: 'Tenant', metadata: { name }, spec: { displayName: 'T', ...spec } };
}

/** Returns a member with the required fields and those of `spec`. */
export function member(spec: object = {}, name = 'u'): Sent {
  const least = { tenant: 't', role: 'owner', issuer: 'https://login.example', subject: '7' };
  return { apiVersion: API_VERSION, kind: 'Member', metadata: { name }, spec: { ...least, ...spec } };
}

/** Returns an invitation with the required fields and those of `spec`. */
export function invitation(spec: object = {}, name = 'u'): Sent {
  const pending = { hash: 'a'.repeat(64), pepperId: 'p1', expiresAt: '2030-01-01T00:00:00Z', invitedBy: 'Grace' };
  const least = { tenant: 't', role: 'viewer', invitation: pending };
  return { apiVersion: API_VERSION, kind: 'Member', metadata: { name }, spec: { ...least, ...spec } };
}

/** Returns a key with the required fields and those of `spec`. */
export function apiKey(spec: object = {}, name = '8fk2pq9xlm'): Sent {
  const least = { tenant: 't', keyId: '8fK2pQ9xLm', hash: 'a'.repeat(64), pepperId: 'p1', lastFour: 'x7Qa' };
  return { apiVersion: API_VERSION, kind: 'ApiKey', metadata: { name }, spec: { ...least, ...spec } };
}
