import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { say } from '../launch/terminal.mjs';
import { findManager, findOnPath, planRedisInstall } from './package-manager.ts';
import type { RedisServer } from './redis-version.ts';
import { chooseServer, OLDEST_REDIS_MAJOR, parseServerVersion } from './redis-version.ts';

/** What a person has to do before the command can go on. */
export class InstallError extends Error {
  override readonly name = 'InstallError';
}

/** The Redis or Valkey server of this machine, installed with its package manager where there is none yet. */
export function ensureRedisServer(): RedisServer {
  const present = findServers();
  const chosen = chooseServer(present);
  if (chosen !== undefined) return chosen;
  for (const { path, version } of present) say(`${path} is ${version}; ${OLDEST_REDIS_MAJOR} or newer is needed`);
  install();
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

function install(): void {
  const isRoot = process.getuid?.() === 0;
  const plan = planRedisInstall({ manager: findManager(process.env.PATH), isRoot, canSudo: !isRoot && canSudo() });
  if ('problem' in plan) throw new InstallError(plan.problem);
  const script = join(import.meta.dirname, plan.script);
  say(`installing Redis with the system's package manager${plan.sudo ? ' (sudo)' : ''}`);
  const [command, ...args] = plan.sudo ? ['sudo', 'sh', script] : ['sh', script];
  const result = spawnSync(command, args, { stdio: ['inherit', 'pipe', 'pipe'], encoding: 'utf8' });
  if (result.status === 0) return;
  process.stderr.write(`${result.stdout}${result.stderr}`);
  throw new InstallError('installing Redis failed: see the messages above; install it by hand and run again');
}

function canSudo(): boolean {
  if (findOnPath('sudo', process.env.PATH) === undefined) return false;
  return process.stdin.isTTY || spawnSync('sudo', ['-n', 'true'], { stdio: 'ignore' }).status === 0;
}
