import { spawnSync } from 'node:child_process';
import { closeSync, mkdirSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';

/** Folder for the append-only file of Redis, which can be filled. */
export interface RedisDisk {
  readonly folder: string;
  /** True if the folder is a file system of its own, which only root can mount. */
  readonly canFill: boolean;
  /** True from `fill` until some seconds after `free`, because a full disk may end Redis with a delay. */
  readonly mayEndRedis: boolean;
  fill: () => void;
  free: () => void;
  remove: () => void;
}

/** Size of the file system. Redis rewrites its append-only file at a quarter of this size. */
const SIZE = '128m';
/** Time after the disk was freed during which Redis may still end because the disk was full. */
const AFTERMATH_MS = 5000;
const BLOCK = Buffer.alloc(65_536);

/** Creates the folder, on a file system of its own if this process may mount one. */
export function createRedisDisk(folder: string): RedisDisk {
  mkdirSync(folder, { recursive: true });
  const canFill = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${SIZE}`, 'tmpfs', folder]).status === 0;
  const filler = join(folder, 'filler');
  const remove = () => {
    if (canFill) spawnSync('umount', ['-l', folder], { stdio: 'ignore' });
    rmSync(folder, { recursive: true, force: true });
  };
  // A run that is interrupted must not leave a mount behind.
  process.once('exit', remove);
  let mayEndUntil = 0;
  return {
    folder,
    canFill,
    get mayEndRedis() {
      return performance.now() < mayEndUntil;
    },
    fill: () => {
      mayEndUntil = Infinity;
      const file = openSync(filler, 'w');
      try {
        for (const block of [BLOCK, BLOCK.subarray(0, 1)]) fillWith(file, block);
      } finally {
        closeSync(file);
      }
    },
    free: () => {
      rmSync(filler, { force: true });
      mayEndUntil = performance.now() + AFTERMATH_MS;
    },
    remove: () => {
      process.off('exit', remove);
      remove();
    },
  };
}

/** Writes a block until no space is left. */
function fillWith(file: number, block: Buffer): void {
  try {
    while (writeSync(file, block) > 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
  }
}
