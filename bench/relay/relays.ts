import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { AUDIO } from '@svc-asr/core';
import type { Ledger } from '@svc-asr/ledger';
import { MODEL, seedTenant, startGateway } from '../../test/support/gateway.ts';
import { eventually } from '../../test/support/eventually.ts';
import { createSession } from '../../test/support/stream-client.ts';
import type { Relay } from './round.ts';

/**
 * Returns a relay for a proxy in front of a worker, or for the worker itself. Clients use the protocol of the worker.
 */
export function plainRelay(address: string, workerPid: number, pid?: number): Relay {
  const first = { type: 'open', context: AUDIO.defaultContext };
  return { pid, workerPid, targetOf: () => Promise.resolve({ url: `${address}/`, first }) };
}

/**
 * Creates a relay for our gateway. Each stream has its own tenant, because by default an account can have only one
 * session at a time.
 */
export async function gatewayRelay(
  redisUrl: string,
  prefix: string,
  ledger: Ledger,
  workerPid: number,
  streams: number,
): Promise<{ relay: Relay; stop: () => Promise<unknown> }> {
  const tenants = await Promise.all(Array.from({ length: streams }, () => seedTenant(ledger, 36_000_000)));
  const probe = new URL('stall-probe.ts', import.meta.url).href;
  const gateway = await startGateway(redisUrl, prefix, { NODE_OPTIONS: `--import=${probe}` });
  const readStalls = () =>
    [...gateway.output().matchAll(/^stall (\S+) own (\S+)$/gm)].map(([, passed, own]) => {
      return { longestMs: Number(passed), ownMs: Number(own) };
    });
  const relay: Relay = {
    pid: gateway.pid,
    workerPid,
    targetOf: async (index) => {
      const key = tenants[index % streams]?.key ?? '';
      const session = await createSession(gateway, key, { model: MODEL, max_audio_seconds: 60 });
      return { url: session.websocket_url, protocols: session.websocket_protocols };
    },
    stallProbe: {
      start: () => process.kill(gateway.pid, 'SIGUSR2'),
      stop: async () => {
        const before = readStalls().length;
        process.kill(gateway.pid, 'SIGUSR2');
        return eventually('the gateway reports its stalls', 20_000, () => readStalls()[before]);
      },
    },
  };
  return { relay, stop: () => gateway.stop() };
}

/** Starts a worker of this benchmark in its own process. It registers in the ledger if it has slots. */
export async function startEchoWorker(redisUrl: string, prefix: string, slots: number) {
  const file = fileURLToPath(new URL('echo-worker.ts', import.meta.url));
  const settings = { REDIS_URL: redisUrl, REDIS_KEY_PREFIX: prefix, MODEL, SLOTS: String(slots) };
  const child = spawn(process.execPath, [file], {
    env: { PATH: process.env.PATH, ...settings },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit');
  const firstOutput = await Promise.race([once(child.stdout, 'data'), exited.then(() => undefined)]);
  if (firstOutput === undefined) throw new Error('the echo worker did not start; see its messages above');
  return {
    port: Number(String(firstOutput[0])),
    pid: child.pid ?? 0,
    stop: async () => {
      child.kill();
      await exited;
    },
  };
}
