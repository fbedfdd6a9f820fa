import type { CapacityWait } from './placement.ts';

const GROWTH = {
  '': 'The session waits for a free slot',
  starting: 'Another worker is starting',
  provisioning: 'Another worker waits for a machine, which can take minutes',
} as const;

const FIRST = {
  '': 'No worker is ready yet',
  starting: 'The first worker is starting',
  provisioning: 'The first worker waits for a machine, which can take minutes',
} as const;

/** Returns the message of a `status` event for a session that waits for capacity. */
export function describeWait({ pool, remainingMs }: CapacityWait): string {
  const limit = `The session ends in ${Math.ceil(remainingMs / 1000)} s if there is no free slot by then.`;
  if (pool === undefined) return `The service cannot assign a worker at the moment. ${limit}`;
  if (pool.slots === 0) return `${FIRST[pool.growth]}. ${limit}`;
  return `Every worker is busy. ${GROWTH[pool.growth]}. ${limit}`;
}
