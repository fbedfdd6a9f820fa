import type { V1Container, V1Volume } from '@kubernetes/client-node';
import type { WorkerTemplate } from '../../template.ts';
import { containerSecurity, imageOf, ownVariables, secretMode } from './container.ts';
import type { Installation } from '../installation.ts';
import { PATHS } from '../installation.ts';

type UrlArtifact = Extract<WorkerTemplate['artifact'], { url: string }>;

/** Variables of the download that only the operator may set. */
export const FETCHER_VARIABLES = [
  'ARTIFACT_URL',
  'ARTIFACT_SHA256',
  'ARTIFACT_FOLDER',
  'ARTIFACT_OWNER',
  'ARTIFACT_CREDENTIALS_FOLDER',
];

/** Volume with the credentials of the download. For a guest, a suffix is added to this name. */
export const CREDENTIALS_VOLUME = 'artifact-credentials';

/** Builds the init container that downloads an artifact, and the volumes that it needs. */
export function buildFetcher(
  template: WorkerTemplate,
  { url, sha256, secretRef, cache }: UrlArtifact,
  installation: Installation,
  volume: string,
  suffix: string,
): { initContainer: V1Container; volumes: V1Volume[] } {
  const { imagePullPolicy, caSecret } = installation;
  const secret = secretRef?.name;
  const credentials = CREDENTIALS_VOLUME + suffix;
  const initContainer: V1Container = {
    name: `fetch-artifact${suffix}`,
    image: imageOf(template, installation),
    imagePullPolicy,
    args: ['fetch-artifact'],
    env: [
      { name: 'ARTIFACT_URL', value: url },
      { name: 'ARTIFACT_SHA256', value: sha256 },
      { name: 'ARTIFACT_FOLDER', value: PATHS.artifacts },
      { name: 'ARTIFACT_OWNER', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
      ...(secret === undefined ? [] : [{ name: 'ARTIFACT_CREDENTIALS_FOLDER', value: PATHS.credentials }]),
      ...(caSecret === '' ? [] : [{ name: 'NODE_EXTRA_CA_CERTS', value: `${PATHS.ca}/ca.crt` }]),
      // `spec.worker.env` of the model can limit the download or set a proxy.
      ...ownVariables(template),
    ],
    resources: { requests: { cpu: '100m', memory: '128Mi' }, limits: { memory: '512Mi' } },
    securityContext: containerSecurity(),
    // Shows the reason of a failure in the pod status.
    terminationMessagePolicy: 'FallbackToLogsOnError',
    volumeMounts: [
      { name: volume, mountPath: PATHS.artifacts },
      ...(secret === undefined ? [] : [{ name: credentials, mountPath: PATHS.credentials, readOnly: true }]),
      ...(caSecret === '' ? [] : [{ name: 'ca', mountPath: PATHS.ca, readOnly: true }]),
    ],
  };
  const place = cache === undefined ? { emptyDir: {} } : { persistentVolumeClaim: { claimName: cache.claimName } };
  const volumes: V1Volume[] = [
    { name: volume, ...place },
    ...(secret === undefined
      ? []
      : [{ name: credentials, secret: { secretName: secret, defaultMode: secretMode(installation) } }]),
  ];
  return { initContainer, volumes };
}
