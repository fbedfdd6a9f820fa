import { join } from 'node:path';
import { fetchDebianPackages } from './debian.ts';
import { fileOf, linkOf, textOf } from './files.ts';
import type { ImageFile } from './files.ts';
import { writeImage } from './oci.ts';
import type { BuiltImage } from './oci.ts';
import type { Platform } from './platform.ts';
import { baseFiles, libraryFiles } from './system-files.ts';

/** Redis with the libraries that it needs, and a shell for the scripts of the chart. */
const PACKAGES =
  'redis-tools busybox-static libatomic1 libc6 libcap2 libgcc-s1 libgcrypt20 libgpg-error0 libjemalloc2 liblz4-1 ' +
  'liblzf1 liblzma5 libssl3 libstdc++6 libsystemd0 libzstd1';
const COMMANDS = 'sh cat chmod cp date echo env grep hostname id ls mkdir mv rm sed sleep tar test timeout';
/** User id of the official image. */
const USER = 999;
/** Entrypoint with those steps of the official image's entrypoint that the chart needs. */
const ENTRYPOINT = `#!/bin/sh
case "\${1:-redis-server}" in -* | *.conf) set -- redis-server "$@" ;; esac
exec "\${@:-redis-server}"
`;

/**
 * Builds a substitute for the official Redis image, which the test cluster cannot pull without a registry. The
 * substitute has the programs that the chart needs, and the same user. Installations use the official image.
 */
export function buildRedisImage(options: { out: string; platform: Platform }): Promise<BuiltImage> {
  const debian = fetchDebianPackages(PACKAGES.split(' '), options.platform);
  const find = (name: string) => debian.find((entry) => entry.name === name) ?? { version: '', folder: '' };
  const [redis, busybox] = [find('redis-tools'), find('busybox-static')];
  const version = /\d+\.\d+\.\d+/.exec(redis.version)?.[0] ?? '0';
  const files: ImageFile[] = [
    ...baseFiles(debian, { redis: USER }),
    ...libraryFiles(debian),
    linkOf('bin', 'usr/bin'),
    { path: 'data', mode: 0o1777, from: 'folder' },
    // redis-server and redis-check-rdb are the same program. The name with which it is called decides what it does.
    fileOf('usr/local/bin/redis-server', join(redis.folder, 'usr/bin/redis-check-rdb')),
    fileOf('usr/local/bin/redis-cli', join(redis.folder, 'usr/bin/redis-cli')),
    textOf('usr/local/bin/docker-entrypoint.sh', ENTRYPOINT, 0o755),
    fileOf('usr/bin/busybox', join(busybox.folder, 'bin/busybox')),
    ...COMMANDS.split(' ').map((name) => linkOf(`usr/bin/${name}`, 'busybox')),
  ];
  const config = {
    user: `${USER}:${USER}`,
    workingDir: '/data',
    entrypoint: ['docker-entrypoint.sh'],
    env: ['PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'],
    labels: { 'org.opencontainers.image.title': 'redis', 'org.opencontainers.image.version': version },
  };
  const reference = `localhost/redis:${version.replace(/\..*/, '')}`;
  return writeImage({ title: 'redis', reference, config, layers: [{ name: 'redis', files }] }, options);
}
