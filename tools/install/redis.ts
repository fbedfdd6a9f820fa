import { spawnSync } from 'node:child_process';
import { say } from '../launch/terminal.mjs';
import { InstallError } from './install-error.ts';
import { findOnPath } from './package-manager.ts';
import type { SystemPackage } from './package-manager.ts';
import type { RedisServer } from './redis-version.ts';
import { chooseServer, OLDEST_REDIS_MAJOR, parseServerVersion } from './redis-version.ts';
import { installPackage } from './system-package.ts';

/** Redis or Valkey, depending on the system. */
export const REDIS: SystemPackage = {
  name: 'redis',
  title: 'Redis',
  need: `redis-server or valkey-server (${OLDEST_REDIS_MAJOR} or newer) is needed`,
  byHand: {
    'apt-get': 'apt-get install redis-server',
    dnf: 'dnf install valkey',
    apk: 'apk add valkey',
    brew: 'brew install valkey',
  },
};

/** Returns the Redis or Valkey server. Installs one with the package manager if it is missing or too old. */
export function ensureRedisServer(): RedisServer {
  const present = findServers();
  const chosen = chooseServer(present);
  if (chosen !== undefined) return chosen;
  for (const { path, version } of present) say(`${path} is ${version}; ${OLDEST_REDIS_MAJOR} or newer is needed`);
  installPackage(REDIS, () => chooseServer(findServers()) !== undefined);
  const installed = findServers();
  const server = chooseServer(installed);
  if (server === undefined) {
    const got = installed.map(({ version }) => version).join(', ') || 'nothing';
    throw new InstallError(
      `the package manager gave ${got}, but redis-server or valkey-server ${OLDEST_REDIS_MAJOR} or newer is needed: ` +
        'install one from https://valkey.io/download or https://redis.io/downloads and put it on PATH',
    );
  }
  return server;
}

function findServers(): RedisServer[] {
  const servers: RedisServer[] = [];
  for (const name of ['redis-server', 'valkey-server']) {
    const path = findOnPath(name, process.env.PATH);
    if (path === undefined) continue;
    const version = parseServerVersion(spawnSync(path, ['--version'], { encoding: 'utf8' }).stdout);
    if (version !== undefined) servers.push({ path, version });
  }
  return servers;
}
