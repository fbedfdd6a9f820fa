import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../test/support/ports.ts';
import type { Peer } from './install.ts';

/** A proxy in front of the worker. It has one process with one thread, like a gateway. */
export interface RunningPeer {
  readonly pid: number;
  readonly address: string;
  stop: () => Promise<void>;
}

/**
 * Configurations of the proxies. Both relay WebSockets as their manuals describe: an HTTP upgrade, and then bytes. The
 * proxies log no requests.
 */
const CONFIGURATIONS: Record<Peer, (port: number, upstreamPort: number, folder: string) => string> = {
  haproxy: (port, upstreamPort) => `
global
  maxconn 5000
  nbthread 1
defaults
  mode http
  timeout connect 5s
  timeout client 60s
  timeout server 60s
  timeout tunnel 1h
frontend streams
  bind 127.0.0.1:${port}
  default_backend worker
backend worker
  server worker 127.0.0.1:${upstreamPort}
`,
  nginx: (port, upstreamPort, folder) => `
daemon off;
master_process off;
pid ${folder}/nginx.pid;
error_log stderr crit;
events { worker_connections 10000; }
http {
  access_log off;
  client_body_temp_path ${folder}/body;
  proxy_temp_path ${folder}/proxy;
  fastcgi_temp_path ${folder}/fastcgi;
  uwsgi_temp_path ${folder}/uwsgi;
  scgi_temp_path ${folder}/scgi;
  server {
    listen 127.0.0.1:${port};
    location / {
      proxy_pass http://127.0.0.1:${upstreamPort};
      proxy_http_version 1.1;
      proxy_set_header Upgrade $http_upgrade;
      proxy_set_header Connection upgrade;
      proxy_read_timeout 1h;
    }
  }
}
`,
};

const ARGUMENTS: Record<Peer, (file: string, folder: string) => string[]> = {
  haproxy: (file) => ['-db', '-f', file],
  nginx: (file, folder) => ['-p', folder, '-c', file],
};

/** Starts a proxy in front of a worker's port. */
export async function startPeer(peer: Peer, program: string, upstreamPort: number): Promise<RunningPeer> {
  const folder = mkdtempSync(join(tmpdir(), `svc-asr-${peer}-`));
  const file = join(folder, `${peer}.conf`);
  const port = await freePort();
  writeFileSync(file, CONFIGURATIONS[peer](port, upstreamPort, folder));
  const child = spawn(program, ARGUMENTS[peer](file, folder), { stdio: ['ignore', 'ignore', 'inherit'] });
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const stop = async () => {
    child.kill('SIGTERM');
    await exited;
    rmSync(folder, { recursive: true, force: true });
  };
  const deadline = Date.now() + 10_000;
  while (!(await listens(port))) {
    if (child.exitCode !== null || Date.now() > deadline) {
      await stop();
      throw new Error(`${peer} did not start; see its messages above`);
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return { pid: child.pid ?? 0, address: `ws://127.0.0.1:${port}`, stop };
}

function listens(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}
