import type { FaultName } from './fault-list.ts';
import type { PlannedFault } from './schedule.ts';
import type { SupervisedProcess } from './process.ts';
import type { LinkState, Proxy } from './proxy.ts';
import type { ChaosService, Member } from './service.ts';

/** Ends a fault. */
export type Heal = () => Promise<void> | void;

const DELAY_MS = 150;
/** Memory limit below what Redis always uses, so that it refuses every write that needs memory. */
const FULL_MEMORY_BYTES = '1000000';

/** Injects a fault. Returns the function that ends the fault. */
export async function inject(service: ChaosService, { name, index }: PlannedFault): Promise<Heal> {
  const { redis, disk, ledger } = service;
  if (name === 'full:memory') {
    await ledger.link.send('', ['CONFIG', 'SET', 'maxmemory', FULL_MEMORY_BYTES]);
    return async () => {
      await ledger.link.send('', ['CONFIG', 'SET', 'maxmemory', '0']);
    };
  }
  if (name === 'full:disk') {
    disk.fill();
    return disk.free;
  }
  const [act = '', part = ''] = name.split(':');
  if (act === 'kill') return kill(processOf(service, part, index));
  if (act === 'stop' || act === 'freeze') return suspend(part === 'redis' ? redis : processOf(service, part, index));
  const link = linkOf(service, name, index);
  if (act === 'drop') {
    link.drop();
    return () => undefined;
  }
  const states: Readonly<Record<string, LinkState>> = { cut: 'cut', stall: 'stall', delay: DELAY_MS };
  link.set(states[act] ?? 'open');
  return () => link.set('open');
}

async function kill(process: SupervisedProcess): Promise<Heal> {
  await process.end('SIGKILL');
  return () => process.start();
}

function suspend(process: SupervisedProcess): Heal {
  process.signal('SIGSTOP');
  return () => process.signal('SIGCONT');
}

function processOf(service: ChaosService, part: string, index: number): SupervisedProcess {
  return part === 'redis' ? service.redis : memberOf(service, part, index).process;
}

function linkOf(service: ChaosService, name: FaultName, index: number): Proxy {
  const worker = service.workers[index];
  if (name.endsWith(':gateway-worker') && worker !== undefined) return worker.streamLink;
  const [part = ''] = (name.split(':')[1] ?? '').split('-');
  return memberOf(service, part, index).redisLink;
}

function memberOf({ gateways, workers, operator }: ChaosService, part: string, index: number): Member {
  const member = part === 'gateway' ? gateways[index] : part === 'worker' ? workers[index] : operator;
  if (member === undefined) throw new Error(`there is no ${part} ${index}`);
  return member;
}
