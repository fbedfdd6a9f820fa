import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseMountPoints, readMountPoints } from './mount-points.ts';

const LINE = '64 63 0:52 / /run/containerd rw,relatime - tmpfs svc-asr rw';

test('mount points are read as they are, spaces included', () => {
  expect(parseMountPoints(`${LINE}\n65 63 0:53 / /mnt/two\\040words rw - tmpfs x rw\n`)).toEqual([
    '/run/containerd',
    '/mnt/two words',
  ]);
});

test('what is mounted in the namespace of any process counts; one that has ended does not', () => {
  const proc = mkdtempSync(join(tmpdir(), 'svc-asr-proc-'));
  const add = (pid: string, namespace: string, mountinfo?: string) => {
    mkdirSync(join(proc, pid, 'ns'), { recursive: true });
    symlinkSync(namespace, join(proc, pid, 'ns/mnt'));
    if (mountinfo !== undefined) writeFileSync(join(proc, pid, 'mountinfo'), mountinfo);
  };
  try {
    add('1', 'mnt:[1]', '1 0 0:1 / / rw - ext4 x rw\n');
    add('20', 'mnt:[2]');
    add('21', 'mnt:[2]', LINE);
    mkdirSync(join(proc, 'sys'));
    expect(readMountPoints(proc)).toEqual(new Set(['/', '/run/containerd']));
  } finally {
    rmSync(proc, { recursive: true });
  }
});

test('what this machine has mounted is found', () => {
  expect(readMountPoints().has('/proc')).toBe(true);
});
