import Type from 'typebox';
import type { Static } from 'typebox';
import type { Problem } from '../validate.ts';
import { ATOMIC_MAP, exactlyOneOf, rules } from './extensions.ts';
import { closed, nameOf } from './metadata.ts';

const SOURCES = ['path', 'persistentVolumeClaim', 'image', 'url'] as const;

const path = Type.String({
  minLength: 1,
  maxLength: 1024,
  description: 'Folder in the worker image, or on the local disk if workers run as processes.',
});

const persistentVolumeClaim = closed(
  {
    claimName: nameOf('Name of the PersistentVolumeClaim, which every node of the pool must be able to mount.'),
    path: Type.String({ maxLength: 1024, default: '', description: 'Folder within the volume. Empty for its root.' }),
  },
  {
    description: 'Folder of a volume, mounted read-only.',
    ...rules({
      rule: "!self.path.startsWith('/') && !self.path.split('/').exists(part, part == '..')",
      message:
        'persistentVolumeClaim.path starts from the root of the volume: write it without a leading / and without ..',
      fieldPath: '.path',
    }),
  },
);

const image = Type.String({
  minLength: 1,
  maxLength: 1024,
  description:
    'OCI image with the model folder at its root, mounted as a volume. The chart may limit registries with worker.allowedArtifactHosts.',
});

const url = Type.String({
  // The pattern allows no user name and no password in the URL. They belong in a Secret.
  pattern: '^https://[^\\x00-\\x20@/?#]+([/?][^\\x00-\\x20#]*)?$',
  maxLength: 2048,
  description:
    'HTTPS address of a .tar.gz with the model folder. Set user name and password in secretRef. The chart may limit hosts with worker.allowedArtifactHosts.',
});

const sha256 = Type.String({
  pattern: '^[0-9a-f]{64}$',
  maxLength: 64,
  description: 'SHA-256 of the archive, as printed by sha256sum. Required with url.',
});

const secretRef = closed(
  { name: nameOf('Name of the Secret.') },
  {
    description:
      'Secret with the credentials for the download of url. Its label asr.svc.dev/usable-by-models must be artifact or true, and the host of url must be in worker.allowedArtifactHosts of the chart.',
  },
);

const cache = closed(
  { claimName: nameOf('Name of the PersistentVolumeClaim, which must allow writing by many nodes.') },
  { description: 'Volume that caches the download of url for all workers. Without it, each pod downloads.' },
);

const fields = closed(
  {
    path: Type.Optional(path),
    persistentVolumeClaim: Type.Optional(persistentVolumeClaim),
    image: Type.Optional(image),
    url: Type.Optional(url),
    sha256: Type.Optional(sha256),
    secretRef: Type.Optional(secretRef),
    cache: Type.Optional(cache),
  },
  {
    description: 'Source of the model files. Exactly one of path, persistentVolumeClaim, image and url.',
    // Without this mark, server-side apply would merge a new source with the one that another field manager wrote.
    ...ATOMIC_MAP,
    ...rules(
      {
        rule: exactlyOneOf(SOURCES),
        message: 'artifact needs exactly one source: keep one of path, persistentVolumeClaim, image and url',
      },
      {
        rule: '!has(self.url) || has(self.sha256)',
        message: 'artifact.url needs artifact.sha256: add the checksum of the archive, as sha256sum prints it',
        fieldPath: '.sha256',
      },
      {
        rule: 'has(self.url) || !(has(self.sha256) || has(self.secretRef) || has(self.cache))',
        message: 'sha256, secretRef and cache are only for artifact.url: remove them',
      },
    ),
  },
);

/** Source of the model files. Exactly one of `path`, `persistentVolumeClaim`, `image` and `url` is set. */
export type Artifact =
  | { path: string }
  | { persistentVolumeClaim: Static<typeof persistentVolumeClaim> }
  | { image: string }
  | { url: string; sha256: string; secretRef?: Static<typeof secretRef>; cache?: Static<typeof cache> };

/**
 * The schema of a CRD cannot express alternatives of objects. Therefore all sources are optional in the schema, and its
 * CEL rules require exactly one.
 */
export const Artifact = Type.Unsafe<Artifact>(fields);

/** Returns the problems of an artifact that the schema of a CRD cannot detect. The CEL rules above check the same. */
export function findArtifactProblems(artifact: Static<typeof fields>): Problem[] {
  const present = SOURCES.filter((source) => artifact[source] !== undefined);
  if (present.length !== 1) {
    return [{ field: '', message: `must have exactly one of ${SOURCES.join(', ')}` }];
  }
  const folder = artifact.persistentVolumeClaim?.path ?? '';
  if (folder.startsWith('/') || folder.split('/').includes('..')) {
    const message = 'must have no leading / and no ..: it starts from the root of the volume';
    return [{ field: 'persistentVolumeClaim.path', message }];
  }
  if (artifact.url === undefined) {
    return (['sha256', 'secretRef', 'cache'] as const)
      .filter((field) => artifact[field] !== undefined)
      .map((field) => ({ field, message: 'is only for url: remove it' }));
  }
  if (artifact.sha256 === undefined) {
    return [{ field: 'sha256', message: 'is required with url: the checksum of the archive, as sha256sum prints it' }];
  }
  return [];
}
