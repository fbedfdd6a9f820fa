import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { KubeTools } from '../../tools/cluster/kube-tools.ts';
import { freePort } from '../../tools/start/ports.ts';
import { eventually } from '../support/eventually.ts';

const READY_MS = 60_000;
const RESTART_MS = 200;

/** A loopback port that is forwarded to a port of a pod. */
export interface PortForward {
  port: number;
  close: () => void;
}

/** Runs `kubectl port-forward` until `close` is called. kubectl ends when a connection fails, and is then restarted. */
export async function startPortForward(
  tools: KubeTools,
  target: { namespace: string; pod: string; port: number },
  localPort?: number,
): Promise<PortForward> {
  const port = localPort ?? (await freePort('127.0.0.1'));
  let closed = false;
  let ready = false;
  let errors = '';
  let child: ChildProcess | undefined;
  const run = () => {
    const args = ['-n', target.namespace, 'port-forward', `pod/${target.pod}`, `${port}:${target.port}`];
    const started = spawn('kubectl', args, { env: tools.env, stdio: ['ignore', 'pipe', 'pipe'] });
    started.stdout.once('data', () => (ready = true));
    started.stdout.resume();
    started.stderr.setEncoding('utf8').on('data', (text: string) => (errors += text));
    started.on('exit', () => void sleep(RESTART_MS, undefined, { ref: false }).then(() => !closed && run()));
    // A port-forward that is still open must not keep jest from exiting.
    for (const handle of [started, started.stdout as Socket, started.stderr as Socket]) handle.unref();
    child = started;
  };
  run();
  const close = () => {
    closed = true;
    child?.kill();
  };
  await eventually(`port-forward to ${target.pod}`, READY_MS, () => ready).catch((error: unknown) => {
    close();
    throw new Error(`${String(error)}: ${errors}`);
  });
  return { port, close };
}
