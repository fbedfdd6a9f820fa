import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { C_COMPILER } from '../../../tools/install/programs.ts';
import { ensureInstalled } from '../../../tools/install/system-package.ts';

/** Wall clock of one process. Its monotonic clock and the clocks of other processes stay as they are. */
export interface ProcessClock {
  /** Variables that the process must be started with. */
  readonly env: Readonly<Record<string, string>>;
  /** Sets by how much the clock is ahead of the clock of the machine. The value is negative if it is behind. */
  set: (ms: number) => void;
}

/** Clocks of several processes. */
export interface Clocks {
  /** False if the system has no LD_PRELOAD. The clocks then cannot be set. */
  readonly canStep: boolean;
  /** Creates the clock of the process with this name. */
  create: (name: string) => ProcessClock;
}

/** Prepares clocks whose files are in `folder`. Installs a C compiler if it is missing. */
export async function prepareClocks(folder: string): Promise<Clocks> {
  const canStep = process.platform === 'linux';
  const library = join(folder, 'clock.so');
  if (canStep) {
    const source = join(import.meta.dirname, 'clock.c');
    execFileSync(await ensureInstalled(C_COMPILER), ['-O2', '-shared', '-fPIC', '-o', library, source]);
  }
  return {
    canStep,
    create: (name) => {
      const file = join(folder, `${name}.clock`);
      const set = (ms: number) => {
        const offset = Buffer.alloc(8);
        offset.writeBigInt64LE(BigInt(ms) * 1_000_000n);
        // The process has mapped this file, so its content must not be truncated before it is written.
        writeFileSync(file, offset, { flag: 'r+' });
      };
      writeFileSync(file, Buffer.alloc(8));
      return { env: canStep ? { LD_PRELOAD: library, CLOCK_OFFSET_FILE: file } : {}, set };
    },
  };
}
