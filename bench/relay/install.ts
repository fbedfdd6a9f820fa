import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { findOnPath } from '../../tools/install/system-package.ts';

/** Programs of the peers and the Debian packages that contain them. */
const PACKAGES = { haproxy: 'haproxy', nginx: 'nginx-light' } as const;

export type Peer = keyof typeof PACKAGES;

/** Returns the paths of HAProxy and nginx, with which the gateway is compared. Installs missing ones with apt-get. */
export function ensurePeers(say: (line: string) => void): Record<Peer, string> {
  const missing = (Object.keys(PACKAGES) as Peer[]).filter((name) => find(name) === undefined);
  if (missing.length > 0) {
    say(`installing ${missing.join(' and ')} with apt-get; their services are not started`);
    install(missing.map((name) => PACKAGES[name]));
  }
  return { haproxy: demand('haproxy'), nginx: demand('nginx') };
}

function install(packages: readonly string[]): void {
  const byHand = `install ${packages.join(' and ')} by hand, without starting a service, and run again`;
  if (find('apt-get') === undefined) throw new Error(`HAProxy or nginx is missing and there is no apt-get: ${byHand}`);
  const script = ['sh', fileURLToPath(new URL('install-apt.sh', import.meta.url)), ...packages];
  const isRoot = process.getuid?.() === 0;
  if (!isRoot && find('sudo') === undefined) throw new Error(`installing HAProxy and nginx requires root: ${byHand}`);
  const [command = '', ...args] = isRoot ? script : ['sudo', ...script];
  const result = spawnSync(command, args, { stdio: ['inherit', 'pipe', 'pipe'], encoding: 'utf8' });
  if (result.status === 0) return;
  process.stderr.write(`${result.stdout}${result.stderr}`);
  throw new Error(`installing HAProxy and nginx failed, see the messages above; ${byHand}`);
}

function find(name: string): string | undefined {
  return findOnPath(name, process.env.PATH);
}

function demand(name: Peer): string {
  const path = find(name);
  if (path === undefined) throw new Error(`${PACKAGES[name]} was installed but there is no ${name} on PATH`);
  return path;
}
