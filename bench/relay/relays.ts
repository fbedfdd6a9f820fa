import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { AUDIO, RELAY_PATH } from '@svc-asr/core';
import type { Ledger } from '@svc-asr/ledger';
import { MODEL, seedTenant, startGateway } from '../../test/support/gateway.ts';
import { eventually } from '../../test/support/eventually.ts';
import { createSession } from '../../test/support/stream-client.ts';
import type { Relay } from './round.ts';

/** A relay whose client speaks the protocol of the worker itself: a proxy, or nothing at all. */
export function plainRelay(address: string, workerPid: number, pid?: number): Relay {
  const first = { type: 'open', context: AUDIO.defaultContext };
  return { pid, workerPid, door: () => Promise.resolve({ url: address + RELAY_PATH, first }) };
}

/** Our gateway, with a tenant for each stream: the limit of an account is one session unless somebody raises it. */
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
  const told = () =>
    [...gateway.output().matchAll(/^stall (\S+) own (\S+)$/gm)].map(([, passed, own]) => {
      return { longestMs: Number(passed), ownMs: Number(own) };
    });
  const relay: Relay = {
    pid: gateway.pid,
    workerPid,
    door: async (index) => {
      const key = tenants[index % streams]?.key ?? '';
      const session = await createSession(gateway, key, { model: MODEL, max_audio_seconds: 60 });
      return { url: session.websocket_url, protocols: session.websocket_protocols };
    },
    takeStalls: async () => {
      const before = told().length;
      process.kill(gateway.pid, 'SIGUSR2');
      return eventually('the gateway tells its stall', 20_000, () => told()[before]);
    },
  };
  return { relay, stop: () => gateway.stop() };
}

/** The worker of this benchmark, in a process of its own. */
export async function startEchoWorker(redisUrl: string, prefix: string, slots: number) {
  const file = fileURLToPath(new URL('echo-worker.ts', import.meta.url));
  const settings = { REDIS_URL: redisUrl, REDIS_KEY_PREFIX: prefix, MODEL, SLOTS: String(slots) };
  const child = spawn(process.execPath, [file], {
    env: { PATH: process.env.PATH, ...settings },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit');
  const told = await Promise.race([once(child.stdout, 'data'), exited.then(() => undefined)]);
  if (told === undefined) throw new Error('the echo worker did not start: its messages are above');
  return {
    port: Number(String(told[0])),
    pid: child.pid ?? 0,
    stop: async () => {
      child.kill();
      await exited;
    },
  };
}
