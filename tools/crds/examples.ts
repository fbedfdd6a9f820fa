import type { Kind } from '@svc-asr/core';

/** One example resource of each kind. The docs show them, and tests apply them. */
export const EXAMPLES: Readonly<Record<Kind, string>> = {
  ASRModel: `apiVersion: asr.svc.dev/v1
kind: ASRModel
metadata:
  name: svc-asr-kikuyu-v1 # the public model id
spec:
  language: Kikuyu
  languageCode: ki
  artifact: # exactly one source
    url: https://models.example/kikuyu-3.tar.gz
    sha256: 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08
    cache: { claimName: models } # downloaded once; without it, by every pod
    # path: /models/svc-asr-kikuyu-v1
    # persistentVolumeClaim: { claimName: models, path: kikuyu }
    # image: registry.example/models/kikuyu:3
  worker:
    provider: cuda
    accelerator: { resource: nvidia.com/gpu, count: 1 }
    resources: { requests: { cpu: "2", memory: 4Gi }, limits: { memory: 8Gi } }
    tolerations: [{ key: nvidia.com/gpu, operator: Exists, effect: NoSchedule }]
  scaling:
    min: 0
    max: 20
    bufferSessions: 4
  rollout:
    canaryPercent: 10
`,
  Tenant: `apiVersion: asr.svc.dev/v1
kind: Tenant
metadata:
  name: acme-radio
spec:
  displayName: Acme Radio
  state: Active
  models: ["*"]
  limits: { concurrentSessions: 4 }
  grants:
    - { id: welcome, audioSeconds: 3600 }
    - { id: "2026-07", audioSeconds: 360000 }
`,
  ApiKey: `apiVersion: asr.svc.dev/v1
kind: ApiKey
metadata:
  name: 8fk2pq9xlm # spec.keyId in lower case
spec:
  tenant: acme-radio
  displayName: production
  keyId: 8fK2pQ9xLm
  hash: 3b1f6c0e5d2a4987b6c5d4e3f2a1908f7e6d5c4b3a29181706f5e4d3c2b1a098
  pepperId: p1
  lastFour: x7Qa
  expiresAt: "2030-01-01T00:00:00Z"
  scopes: [sessions:create] # omit to allow everything
  models: [svc-asr-kikuyu-v1] # omit to allow all models of the tenant
`,
  Member: `apiVersion: asr.svc.dev/v1
kind: Member
metadata:
  name: acme-radio-grace
spec:
  tenant: acme-radio
  role: owner
  issuer: https://login.example # identifies the user together with subject
  subject: 7b0c3f5e-2f5a-4a53-9d7e-0c8f6f1f2a11
  name: Grace
  email: grace@acme.example # for display and mail only
`,
};
