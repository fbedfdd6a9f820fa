import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { endProcess, killAfterFile } from '../../../test/support/leftovers.ts';
import { findRedisServer } from '../../../test/support/redis.ts';
import { temporaryFolder } from '../../../test/support/temporary-folder.ts';
import { runCommand } from '../../cluster/command.ts';
import { find, render } from './render.ts';

/** The pods of the replicated Redis as processes on loopback addresses, started by the scripts of the chart. */
export interface RedisPods {
  readonly hosts: readonly string[];
  /** Starts server and sentinel of a pod. */
  start: (pod: number) => void;
  /** Kills both processes of a pod. */
  kill: (pod: number) => Promise<void>;
  /** Deletes the volume of a pod. */
  empty: (pod: number) => void;
  /** Copies the append-only file of a pod to another, as an administrator does to restore it. */
  restore: (from: number, to: number) => void;
  /** Returns what the scripts of server and sentinel of a pod have printed since its last start. */
  output: (pod: number) => string;
  /**
   * Sends a command to the server of a pod as administrator. Resolves with an empty text if the server does not answer.
   */
  ask: (pod: number, ...command: string[]) => Promise<string>;
  /**
   * Allows or forbids the running sentinels to fail over. A sentinel that starts after this call is not allowed to fail
   * over.
   */
  allowFailover: (isAllowed: boolean) => Promise<void>;
  /** Returns the pod that the sentinel of a pod reports as primary, or -1. */
  primaryAt: (pod: number) => Promise<number>;
  stop: () => Promise<void>;
}

const PODS = [0, 1, 2];
const NEVER_MS = 600_000;
const SOON_MS = 1000;

/** Renders the chart with Sentinel, and writes its files as the pods would mount them. */
async function writePodFiles() {
  const objects = await render({ redis: { sentinel: { enabled: true } } });
  const secretOf = (name: string) => find(objects, 'Secret', name).stringData as Record<string, string>;
  const conf = find(objects, 'ConfigMap', 'redis').data as Record<string, string>;
  const passwords = secretOf('redis-passwords');
  // Every address of the network 127.0.0.0/8 is a loopback address. Each pod has its own address, so that all pods can
  // use the ports of the chart.
  const network = `127.${randomInt(1, 255)}.${randomInt(0, 255)}`;
  const hosts = PODS.map((pod) => `${network}.${pod + 1}`);
  const folder = temporaryFolder('redis-pods');
  const dataOf = (pod: number) => join(folder, `pod-${pod}`, 'data');
  const write = (place: string, files: Readonly<Record<string, string>>, pod = 0) => {
    mkdirSync(place, { recursive: true });
    for (const [name, text] of Object.entries(files)) {
      const local = text
        .replaceAll('/etc/redis', folder)
        .replaceAll('dir /data', `dir ${dataOf(pod)}`)
        .replaceAll('bind * -::*', `bind ${hosts[pod] ?? ''}`)
        // A busy machine must not cause a failover before `allowFailover`.
        .replace('down-after-milliseconds ledger 5000', `down-after-milliseconds ledger ${NEVER_MS}`)
        .replace('failover-timeout ledger 30000', 'failover-timeout ledger 5000');
      writeFileSync(join(place, name), local);
    }
  };
  for (const pod of PODS) {
    write(join(folder, `pod-${pod}`, 'conf'), conf, pod);
    mkdirSync(dataOf(pod));
  }
  write(join(folder, 'users'), secretOf('redis-acl'));
  write(join(folder, 'nodes'), secretOf('redis-nodes'));
  write(join(folder, 'tls'), secretOf('redis-tls'));
  return { folder, hosts, passwords, dataOf };
}

/** Prepares the pods. None of them runs before `start`. */
export async function createRedisPods(): Promise<RedisPods> {
  const { folder, hosts, passwords, dataOf } = await writePodFiles();
  const running = new Map<number, ChildProcess[]>();
  const outputs = new Map<number, string>();
  const kill = async (pod: number) => {
    await Promise.all((running.get(pod) ?? []).map((child) => endProcess(child, 'SIGKILL')));
  };
  const cli = async (pod: number, port: number, user: string, command: readonly string[]) => {
    const tls = ['--tls', '--cacert', join(folder, 'tls/ca.crt'), '-h', hosts[pod] ?? '', '-p', String(port)];
    const login = ['--user', user, '--pass', passwords[user] ?? '', '--no-auth-warning'];
    return (await runCommand('timeout', ['5', 'redis-cli', ...tls, ...login, ...command]).catch(() => '')).trim();
  };
  return {
    hosts,
    start: (pod) => {
      const env = {
        PATH: process.env.PATH,
        NODES: hosts.join(' '),
        SELF: hosts[pod],
        SERVER: findRedisServer(),
        CLIENT: 'redis-cli',
        CONF: join(folder, `pod-${pod}`, 'conf'),
        SECRETS: join(folder, 'nodes'),
        TLS: join(folder, 'tls'),
        DATA: dataOf(pod),
      };
      const children = ['start-redis.sh', 'start-sentinel.sh'].map((script) => {
        const stdio = ['ignore', 'pipe', 'ignore'] as const;
        const child = spawn('sh', [join(folder, `pod-${pod}`, 'conf', script)], { env, stdio: [...stdio] });
        killAfterFile(child);
        return child;
      });
      running.set(pod, children);
      outputs.set(pod, '');
      for (const { stdout } of children) {
        stdout.on('data', (data: Buffer) => outputs.set(pod, (outputs.get(pod) ?? '') + data.toString()));
      }
    },
    kill,
    empty: (pod) => {
      rmSync(dataOf(pod), { recursive: true });
      mkdirSync(dataOf(pod));
    },
    restore: (from, to) => {
      const file = (pod: number) => join(dataOf(pod), 'appendonlydir');
      rmSync(file(to), { recursive: true, force: true });
      cpSync(file(from), file(to), { recursive: true });
    },
    output: (pod) => outputs.get(pod) ?? '',
    ask: (pod, ...command) => cli(pod, 6379, 'admin', command),
    allowFailover: async (isAllowed) => {
      const option = ['down-after-milliseconds', String(isAllowed ? SOON_MS : NEVER_MS)];
      await Promise.all(PODS.map((pod) => cli(pod, 26_379, 'sentinel', ['sentinel', 'set', 'ledger', ...option])));
    },
    primaryAt: async (pod) => {
      const reply = await cli(pod, 26_379, 'client', ['sentinel', 'get-master-addr-by-name', 'ledger']);
      return hosts.indexOf(reply.split('\n')[0] ?? '');
    },
    stop: async () => {
      await Promise.all(PODS.map(kill));
    },
  };
}
