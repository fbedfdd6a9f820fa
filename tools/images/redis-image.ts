import { writeImage } from './build.ts';
import type { BuildOptions, BuiltImage } from './build.ts';
import { fetchDebianPackages } from './debian.ts';
import type { DebianPackage } from './debian.ts';
import { fileOf } from './image-file.ts';
import type { ImageFile } from './image-file.ts';
import { join } from 'node:path';
import { baseFiles, libraryFiles } from './system-files.ts';

/** Redis, a shell for what the chart runs beside it, and the libraries of both. */
const PACKAGES = [
  'redis-tools',
  'busybox-static',
  'libatomic1',
  'libc6',
  'libcap2',
  'libgcc-s1',
  'libgcrypt20',
  'libgpg-error0',
  'libjemalloc2',
  'liblz4-1',
  'liblzf1',
  'liblzma5',
  'libssl3',
  'libstdc++6',
  'libsystemd0',
  'libzstd1',
];
/** The user of the official image. */
const REDIS_USER = 999;
const COMMANDS = [
  'sh',
  'cat',
  'chmod',
  'cp',
  'date',
  'echo',
  'env',
  'grep',
  'hostname',
  'id',
  'ls',
  'mkdir',
  'mv',
  'rm',
  'sed',
  'sleep',
  'tar',
  'test',
  'timeout',
];
/** What the official image begins with does the same, and more that pods do not need. */
const ENTRYPOINT = `#!/bin/sh
case "\${1:-redis-server}" in -* | *.conf) set -- redis-server "$@" ;; esac
exec "\${@:-redis-server}"
`;

/**
 * Builds an image that stands in for the official one of Redis where there is no registry, as in the test cluster: the
 * same names of programs, the same user. Installations use the official one.
 */
export async function buildRedisImage(options: Omit<BuildOptions, 'root' | 'version'>): Promise<BuiltImage> {
  const debian = fetchDebianPackages(PACKAGES, options.platform);
  const redis = debian.find(({ name }) => name === 'redis-tools');
  const version = /(\d+\.\d+\.\d+)/.exec(redis?.version ?? '')?.[1] ?? '0';
  return writeImage(
    {
      title: 'redis',
      reference: `localhost/redis:${version.split('.')[0] ?? version}`,
      config: {
        user: `${REDIS_USER}:${REDIS_USER}`,
        workingDir: '/data',
        entrypoint: ['docker-entrypoint.sh'],
        env: [],
        labels: { 'org.opencontainers.image.title': 'redis', 'org.opencontainers.image.version': version },
      },
      layers: [{ name: 'redis', files: redisFiles(debian) }],
    },
    options,
  );
}

function redisFiles(debian: readonly DebianPackage[]): ImageFile[] {
  const within = (name: string, path: string) => join(debian.find((one) => one.name === name)?.folder ?? '', path);
  const link = (path: string, target: string): ImageFile => ({ path, mode: 0o777, from: { link: target } });
  return [
    ...baseFiles(debian, { redis: REDIS_USER }),
    ...libraryFiles(debian),
    { path: 'bin', mode: 0o777, from: { link: 'usr/bin' } },
    { path: 'data', mode: 0o1777, from: 'folder' },
    // The server is this program under another name.
    fileOf('usr/local/bin/redis-server', within('redis-tools', 'usr/bin/redis-check-rdb'), true),
    fileOf('usr/local/bin/redis-cli', within('redis-tools', 'usr/bin/redis-cli'), true),
    { path: 'usr/local/bin/docker-entrypoint.sh', mode: 0o755, from: { text: ENTRYPOINT } },
    fileOf('usr/bin/busybox', within('busybox-static', 'bin/busybox'), true),
    ...COMMANDS.map((name) => link(`usr/bin/${name}`, 'busybox')),
  ];
}
