import { join } from 'node:path';

/** Settings of the whole machine that a kubelet sets when it starts, each with what it wants to find there. */
export const KERNEL_SETTINGS: Readonly<Record<string, number>> = {
  'vm.overcommit_memory': 1,
  'vm.panic_on_oom': 0,
  'kernel.panic': 10,
  'kernel.panic_on_oops': 1,
  'kernel.keys.root_maxkeys': 1_000_000,
  'kernel.keys.root_maxbytes': 25_000_000,
};

/** The file of a kernel setting. */
export function kernelSettingPath(name: string): string {
  return join('/proc/sys', name.replaceAll('.', '/'));
}
