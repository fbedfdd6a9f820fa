import { connect } from 'node:net';
import { freePort } from './ports.ts';
import { startRedis } from './redis.ts';
import type { TestRedis } from './redis.ts';

/** A Redis Cluster of three nodes. `url` lists them, separated by commas. */
export interface TestCluster {
  readonly url: string;
  readonly nodes: readonly TestRedis[];
  stop: () => Promise<void>;
}

const SLOTS = 16_384;

/**
 * Starts three nodes, assigns a third of the slots to each and waits until each node reports the cluster as complete.
 */
export async function startRedisCluster(): Promise<TestCluster> {
  const started = await Promise.all([0, 1, 2].map(() => startNode()));
  const nodes = started.map(({ node }) => node);
  const ports = nodes.map((node) => node.port);
  for (const [at, port] of ports.entries()) {
    const from = Math.ceil((at * SLOTS) / ports.length);
    const to = Math.ceil(((at + 1) * SLOTS) / ports.length) - 1;
    await ask(port, `CLUSTER ADDSLOTSRANGE ${from} ${to}`);
    for (const { node, bus } of started) {
      if (node.port !== port) await ask(port, `CLUSTER MEET 127.0.0.1 ${node.port} ${bus}`);
    }
  }
  const deadline = Date.now() + 30_000;
  for (const port of ports) {
    while (!(await whole(port))) {
      if (Date.now() > deadline) throw new Error('the Redis Cluster did not form within 30 s');
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
  return {
    url: ports.map((port) => `redis://127.0.0.1:${port}`).join(','),
    nodes,
    stop: async () => {
      await Promise.all(nodes.map((node) => node.stop()));
    },
  };
}

async function startNode(): Promise<{ node: TestRedis; bus: number }> {
  // The bus port is by default the port plus 10,000, which may exceed 65,535.
  const bus = await freePort();
  const options = ['--cluster-enabled', 'yes', '--cluster-node-timeout', '5000', '--cluster-port', String(bus)];
  return { node: await startRedis(options), bus };
}

async function whole(port: number): Promise<boolean> {
  const info = await ask(port, 'CLUSTER INFO');
  return info.includes('cluster_state:ok') && info.includes('cluster_known_nodes:3');
}

/** Sends one command on a new connection. */
export function ask(port: number, command: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(`${command}\r\n`));
    socket.once('data', (data) => {
      socket.destroy();
      const reply = data.toString();
      if (reply.startsWith('-')) reject(new Error(`${command}: ${reply}`));
      else resolve(reply);
    });
    socket.once('error', reject);
    socket.once('close', () => reject(new Error(`${command}: the connection ended without a reply`)));
  });
}
