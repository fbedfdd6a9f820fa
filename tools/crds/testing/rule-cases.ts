import { apiKey, invitation, member, model, tenant } from './resources.ts';
import type { Sent } from './resources.ts';

/** Resources that a rule rejects and similar ones that it accepts. */
export interface RuleCase {
  /** Start of the message of the rule. */
  message: string;
  /** Field that the error names. */
  field: string;
  /** Existing resource, for rules about changes. */
  before?: Sent;
  refused: Sent[];
  accepted: Sent[];
}

const artifact = (value: object) => model({ artifact: value });
const worker = (value: object) => model({ worker: value });
const tiered = (value: object) => model({ pools: [{ name: 'a' }], ...value });
const scaling = (value: object) => model({ scaling: value });
const variable = (value: object) => worker({ env: [{ name: 'A', ...value }] });
const granted = (...grants: [id: string, audioSeconds: number][]) =>
  tenant({ grants: grants.map(([id, audioSeconds]) => ({ id, audioSeconds })) });

const sha256 = 'b'.repeat(64);
const url = 'https://models.example/m.tar.gz';
const secretKeyRef = { name: 's', key: 'k' };
const fieldRef = { fieldPath: 'status.hostIP' };
const dotted = 'a.b';

export const RULE_CASES: readonly RuleCase[] = [
  {
    message: 'metadata.name must be at most 63',
    field: 'metadata.name',
    refused: [
      model({}, 'x'.repeat(64)),
      model({}, dotted),
      tenant({}, 'x'.repeat(64)),
      tenant({}, dotted),
      apiKey({}, 'x'.repeat(64)),
      member({}, dotted),
    ],
    accepted: [model({}, 'x'.repeat(63)), tenant({}, 'x'.repeat(63)), model({}, 'a-b')],
  },
  {
    message: 'metadata.name must be spec.keyId in lower case',
    field: 'metadata.name',
    refused: [apiKey({}, '8fk2pq9xln'), apiKey({ keyId: '8fK2pQ9xLn' })],
    accepted: [apiKey(), apiKey({ keyId: '8FK2PQ9XLM' })],
  },
  {
    message: 'maxAudioSeconds is 300',
    field: 'spec.maxAudioSeconds',
    refused: [model({ maxAudioSeconds: 299 }), model({ maxAudioSeconds: 301, drainSeconds: 400 })],
    accepted: [model({ maxAudioSeconds: 300 }), model()],
  },
  {
    message: 'drainSeconds must be at least maxAudioSeconds + 30',
    field: 'spec.drainSeconds',
    refused: [model({ drainSeconds: 329 })],
    accepted: [model({ drainSeconds: 330 }), model({ drainSeconds: 7200 })],
  },
  {
    message: 'a model with hostedBy uses the workers of its host',
    field: 'spec.worker',
    refused: [
      model({ hostedBy: 'host', worker: { accelerator: {} } }),
      model({ hostedBy: 'host', worker: { env: [{ name: 'A', value: 'b' }] } }),
    ],
    accepted: [model({ hostedBy: 'host', worker: { slots: 5 } }), model({ hostedBy: 'host' })],
  },
  {
    message: 'a model with hostedBy uses the workers of its host: remove pools',
    field: 'spec.pools',
    refused: [model({ hostedBy: 'host', pools: [{ name: 'a' }] })],
    accepted: [model({ pools: [{ name: 'a' }] })],
  },
  {
    message: 'with pools, each pool sets provider',
    field: 'spec.worker',
    refused: [
      tiered({ worker: { accelerator: {} } }),
      tiered({ worker: { nodeSelector: { a: 'b' } } }),
      tiered({ worker: { provider: 'cuda' } }),
      tiered({ worker: { slots: 5 } }),
    ],
    accepted: [tiered({ worker: { image: 'a', env: [{ name: 'A', value: 'b' }] } })],
  },
  {
    message: 'with pools, each pool sets min and max',
    field: 'spec.scaling',
    refused: [tiered({ scaling: { max: 2 } }), tiered({ scaling: { min: 1 } })],
    accepted: [tiered({ scaling: { bufferSessions: 2 } })],
  },
  {
    message: 'pools need scaling.mode Sessions',
    field: 'spec.scaling.mode',
    refused: [tiered({ scaling: { mode: 'External' } })],
    accepted: [tiered({ scaling: { mode: 'Sessions' } })],
  },
  {
    message: 'min of a pool must not be greater',
    field: 'spec.pools[0].min',
    refused: [model({ pools: [{ name: 'a', min: 2 }] })],
    accepted: [model({ pools: [{ name: 'a', min: 2, max: 2 }] })],
  },
  {
    message: 'a resource claim needs exactly one source',
    field: 'spec.worker.resourceClaims[0]',
    refused: [
      worker({ resourceClaims: [{ name: 'gpu' }] }),
      worker({ resourceClaims: [{ name: 'gpu', resourceClaimName: 'a', resourceClaimTemplateName: 'b' }] }),
    ],
    accepted: [worker({ resourceClaims: [{ name: 'gpu', resourceClaimTemplateName: 'b', request: 'gpu' }] })],
  },
  {
    message: 'hostedBy must name another model',
    field: 'spec.hostedBy',
    refused: [model({ hostedBy: 'own' }, 'own')],
    accepted: [model({ hostedBy: 'host' }, 'own')],
  },
  {
    message: 'language cannot be changed',
    field: 'spec.language',
    before: model(),
    refused: [model({ language: 'Gĩkũyũ' })],
    accepted: [model({ drainSeconds: 400 })],
  },
  {
    message: 'languageCode cannot be changed',
    field: 'spec.languageCode',
    before: model(),
    refused: [model({ languageCode: 'luo' })],
    accepted: [model({ artifact: { image: 'registry.example/m:2' } })],
  },
  {
    message: 'artifact needs exactly one source',
    field: 'spec.artifact',
    refused: [
      artifact({}),
      artifact({ path: '/a', image: 'b' }),
      artifact({ path: '/a', url, sha256 }),
      artifact({ image: 'b', persistentVolumeClaim: { claimName: 'c' } }),
    ],
    accepted: [
      artifact({ path: '/a' }),
      artifact({ image: 'b' }),
      artifact({ url, sha256 }),
      artifact({ persistentVolumeClaim: { claimName: 'c' } }),
    ],
  },
  {
    message: 'artifact.url needs artifact.sha256',
    field: 'spec.artifact.sha256',
    refused: [artifact({ url }), artifact({ url, cache: { claimName: 'c' } })],
    accepted: [artifact({ url, sha256, secretRef: { name: 's' }, cache: { claimName: 'c' } })],
  },
  {
    message: 'sha256, secretRef and cache are only for artifact.url',
    field: 'spec.artifact',
    refused: [
      artifact({ path: '/a', sha256 }),
      artifact({ image: 'b', secretRef: { name: 's' } }),
      artifact({ path: '/a', cache: { claimName: 'c' } }),
    ],
    accepted: [artifact({ url, sha256 })],
  },
  {
    message: 'persistentVolumeClaim.path starts from the root of the volume',
    field: 'spec.artifact.persistentVolumeClaim.path',
    refused: ['/a', '..', 'a/../../b', 'a/..'].map((path) =>
      artifact({ persistentVolumeClaim: { claimName: 'c', path } }),
    ),
    accepted: ['', 'a', 'a/b', '..a', 'a/b..'].map((path) =>
      artifact({ persistentVolumeClaim: { claimName: 'c', path } }),
    ),
  },
  {
    message: 'a variable has value or valueFrom',
    field: 'spec.worker.env[0]',
    refused: [variable({ value: '', valueFrom: { fieldRef } })],
    accepted: [variable({ value: 'x' }), variable({ valueFrom: { fieldRef } }), variable({})],
  },
  {
    message: 'valueFrom needs exactly one source',
    field: 'spec.worker.env[0].valueFrom',
    refused: [variable({ valueFrom: {} }), variable({ valueFrom: { secretKeyRef, fieldRef } })],
    accepted: [variable({ valueFrom: { secretKeyRef } }), variable({ valueFrom: { configMapKeyRef: secretKeyRef } })],
  },
  {
    message: 'keys of podLabels must not begin with asr.svc.dev/',
    field: 'spec.worker.podLabels',
    refused: [worker({ podLabels: { team: 'x', 'asr.svc.dev/model': 'other' } })],
    accepted: [worker({ podLabels: { team: 'x', 'asr.svc.devel/model': 'other' } })],
  },
  {
    message: 'keys of podAnnotations must not begin with asr.svc.dev/',
    field: 'spec.worker.podAnnotations',
    refused: [worker({ podAnnotations: { 'asr.svc.dev/revision': 'x' } })],
    accepted: [worker({ podAnnotations: { 'example.com/asr.svc.dev/revision': 'x' } })],
  },
  {
    message: 'scaling.min must not be greater than scaling.max',
    field: 'spec.scaling.min',
    refused: [scaling({ min: 3, max: 2 }), scaling({ min: 2 }), scaling({ max: 0, min: 1 })],
    accepted: [scaling({ min: 2, max: 2 }), scaling({ min: 1 }), scaling({ max: 0 })],
  },
  {
    message: 'scaling.replicas is only for scaling.mode External',
    field: 'spec.scaling.replicas',
    before: scaling({ mode: 'External', replicas: 1 }),
    refused: [scaling({ replicas: 2 }), scaling({ mode: 'Sessions', replicas: 0 })],
    accepted: [
      scaling({ mode: 'Sessions', replicas: 1 }),
      scaling({ mode: 'Sessions' }),
      scaling({ mode: 'External', replicas: 2 }),
      scaling({ mode: 'External' }),
    ],
  },
  {
    message: 'a grant is applied once and cannot be changed',
    field: 'spec.grants[1].audioSeconds',
    before: granted(['a', 1], ['b', 2]),
    refused: [granted(['a', 1], ['b', 3]), granted(['c', 1], ['a', 2])],
    accepted: [granted(['b', 2], ['a', 1], ['c', 3]), granted(['b', 2]), granted()],
  },
  {
    message: 'expiresAt must be a time in the future',
    field: 'spec.expiresAt',
    refused: [apiKey({ expiresAt: '1999-12-31T23:59:59.999999999Z' }), apiKey({ expiresAt: '0026-01-01T00:00:00Z' })],
    accepted: [apiKey({ expiresAt: '2000-01-01T00:00:00Z' }), apiKey({ expiresAt: null }), apiKey()],
  },
  {
    message: 'a key cannot be changed',
    field: 'spec',
    before: apiKey({ expiresAt: '2030-01-01T00:00:00Z' }),
    refused: [
      apiKey({ expiresAt: '2030-01-01T00:00:00Z', hash: 'c'.repeat(64) }),
      apiKey({ expiresAt: '2030-01-01T00:00:00Z', tenant: 'other' }),
      apiKey({ expiresAt: '2030-01-01T00:00:00Z', scopes: ['usage:read'] }),
      apiKey({ expiresAt: '2030-01-01T00:00:00Z', models: ['m'] }),
    ],
    accepted: [apiKey({ expiresAt: '2030-01-01T00:00:00Z', displayName: '' })],
  },
  {
    message: 'expiresAt can only be moved to an earlier time',
    field: 'spec.expiresAt',
    before: apiKey({ expiresAt: '2030-01-01T00:00:00Z' }),
    refused: [apiKey({ expiresAt: '2030-01-01T00:00:01Z' }), apiKey({ expiresAt: null }), apiKey()],
    accepted: [apiKey({ expiresAt: '2029-12-31T23:59:59Z' }), apiKey({ expiresAt: '2030-01-01T01:00:00+01:00' })],
  },
  {
    message: 'a key cannot be changed',
    field: 'spec',
    before: apiKey({ expiresAt: null, scopes: ['usage:read'] }),
    refused: [apiKey({ expiresAt: null }), apiKey({ expiresAt: null, scopes: ['sessions:create'] })],
    accepted: [
      apiKey({ expiresAt: '2030-01-01T00:00:00Z', scopes: ['usage:read'] }),
      apiKey({ scopes: ['usage:read'] }),
    ],
  },
  {
    message: 'issuer and subject identify the member together',
    field: 'spec',
    refused: [member({ subject: undefined }), invitation({ subject: '7' })],
    accepted: [member(), invitation()],
  },
  {
    message: 'a member has either issuer and subject or a pending invitation',
    field: 'spec',
    refused: [
      member({ issuer: undefined, subject: undefined }),
      invitation({ issuer: 'https://login.example', subject: '7' }),
    ],
    accepted: [member(), invitation()],
  },
  {
    message: 'tenant cannot be changed',
    field: 'spec.tenant',
    before: member(),
    refused: [member({ tenant: 'other' })],
    accepted: [member({ role: 'viewer', name: 'Grace' })],
  },
  {
    message: 'issuer and subject cannot be changed',
    field: 'spec',
    before: member(),
    refused: [member({ subject: '8' }), member({ issuer: 'https://other.example' }), invitation()],
    accepted: [member({ email: 'grace@acme.example' })],
  },
  {
    message: 'issuer and subject cannot be changed',
    field: 'spec',
    before: invitation(),
    refused: [],
    accepted: [member({ role: 'viewer' }), invitation({ role: 'developer' })],
  },
];
