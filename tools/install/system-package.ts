import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { withLock } from '../launch/lock.mjs';
import { cacheFolder } from '../launch/node.mjs';
import { say } from '../launch/terminal.mjs';
import { InstallError } from './install-error.ts';
import { findManager, findOnPath, planInstall } from './package-manager.ts';
import type { SystemPackage } from './package-manager.ts';

/**
 * Installs a package with the package manager. Calls `isThere` under the lock, because another process may have
 * installed it meanwhile.
 */
export function installPackage(wanted: SystemPackage, isThere: () => boolean): void {
  const isRoot = process.getuid?.() === 0;
  const plan = planInstall(wanted, { manager: findManager(process.env.PATH), isRoot, canSudo: !isRoot && canSudo() });
  if ('problem' in plan) throw new InstallError(plan.problem);
  const script = join(import.meta.dirname, plan.script);
  const [command, ...args] = plan.sudo ? ['sudo', 'sh', script] : ['sh', script];
  let failure: string | undefined;
  // Package managers refuse to run twice at the same time.
  withLock(join(cacheFolder(), 'system-packages.lock'), 'another command installs packages; waiting for it', () => {
    if (isThere()) return;
    say(`installing ${wanted.title} with the system's package manager${plan.sudo ? ' (sudo)' : ''}`);
    const result = spawnSync(command, args, { stdio: ['inherit', 'pipe', 'pipe'], encoding: 'utf8' });
    if (result.status !== 0) failure = `${result.stdout}${result.stderr}`;
  });
  if (failure === undefined) return;
  process.stderr.write(failure);
  throw new InstallError(`installing ${wanted.title} failed: see the messages above; install it by hand and run again`);
}

function canSudo(): boolean {
  if (findOnPath('sudo', process.env.PATH) === undefined) return false;
  return process.stdin.isTTY || spawnSync('sudo', ['-n', 'true'], { stdio: 'ignore' }).status === 0;
}
