import { FAULTS } from './fault-list.ts';
import type { FaultKind, FaultName } from './fault-list.ts';
import type { LinkState, Proxy } from './parts/proxy.ts';
import { kill, step, suspend } from './parts/process.ts';
import type { Heal } from './parts/process.ts';
import type { RedisServer } from './parts/redis-group.ts';
import { injectIntoRedis } from './redis-faults.ts';
import type { PlannedFault } from './schedule.ts';
import type { ChaosService, Member } from './service.ts';

const DELAY_MS = 150;

/** Injects a fault. Returns the function that ends the fault. `primary` is given for faults of Redis. */
export async function inject(
  service: ChaosService,
  fault: PlannedFault,
  primary: RedisServer | undefined,
): Promise<Heal> {
  const { name, index, stepMs } = fault;
  if (primary !== undefined) return injectIntoRedis(service, fault, primary);
  const { target }: FaultKind = FAULTS[name];
  const [act = ''] = name.split(':');
  if (target === 'sentinel') {
    service.redis.signalSentinel(index, 'SIGSTOP');
    return () => service.redis.signalSentinel(index, 'SIGCONT');
  }
  if (name === 'kill:api-server') return service.apiServer.kill();
  if (name === 'stop:api-server') return service.apiServer.suspend();
  if (stepMs !== 0) return step(memberOf(service, target, index).clock, stepMs);
  if (act === 'kill') return kill(memberOf(service, target, index).process);
  if (act === 'stop' || act === 'freeze') return suspend(memberOf(service, target, index).process);
  const link = linkOf(service, name, index);
  if (act === 'drop') {
    link.drop();
    return () => undefined;
  }
  const states: Readonly<Record<string, LinkState>> = { cut: 'cut', stall: 'stall', delay: DELAY_MS };
  link.set(states[act] ?? 'open');
  return () => link.set('open');
}

function linkOf(service: ChaosService, name: FaultName, index: number): Pick<Proxy, 'set' | 'drop'> {
  const worker = service.workers[index];
  if (name.endsWith(':gateway-worker') && worker !== undefined) return worker.streamLink;
  if (name.endsWith(':operator-api-server')) return service.apiServer.link;
  const [part = ''] = (name.split(':')[1] ?? '').split('-');
  return memberOf(service, part, index).redisLink;
}

function memberOf({ gateways, workers, operator }: ChaosService, part: string, index: number): Member {
  const member = part === 'gateway' ? gateways[index] : part === 'worker' ? workers[index] : operator;
  if (member === undefined) throw new Error(`there is no ${part} ${index}`);
  return member;
}
