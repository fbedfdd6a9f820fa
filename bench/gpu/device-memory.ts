import { execFileSync } from 'node:child_process';

/** Returns the used memory of the first GPU in MiB. Undefined on a machine without a GPU. */
export function usedDeviceMiB(): number | undefined {
  try {
    const query = ['--query-gpu=memory.used', '--format=csv,noheader,nounits'];
    return Number(
      execFileSync('nvidia-smi', query, { stdio: ['ignore', 'pipe', 'ignore'] })
        .toString()
        .split('\n')[0],
    );
  } catch {
    return undefined;
  }
}
