import { KERNEL_SETTINGS, kernelSettingPath } from './kernel-settings.ts';

test('a kernel setting has a file under /proc/sys', () => {
  expect(kernelSettingPath('kernel.keys.root_maxkeys')).toBe('/proc/sys/kernel/keys/root_maxkeys');
  expect(
    Object.keys(KERNEL_SETTINGS)
      .filter((name) => name.startsWith('vm.'))
      .map(kernelSettingPath),
  ).toEqual(['/proc/sys/vm/overcommit_memory', '/proc/sys/vm/panic_on_oom']);
});
