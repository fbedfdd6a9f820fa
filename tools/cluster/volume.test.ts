import { buildVolume, findReleased, findWaiting, PROVISIONER, STORAGE_CLASS } from './volume.ts';
import type { Claim, Volume } from './volume.ts';

function claim(uid: string, spec: Partial<Claim['spec']> = {}): Claim {
  return {
    metadata: { name: 'data', namespace: 'asr', uid },
    spec: {
      storageClassName: STORAGE_CLASS,
      accessModes: ['ReadWriteOnce'],
      resources: { requests: { storage: '1Gi' } },
      ...spec,
    },
  };
}

function volume(name: string, phase: string, provisioner = PROVISIONER): Volume {
  return {
    metadata: { name, annotations: { 'pv.kubernetes.io/provisioned-by': provisioner } },
    spec: { persistentVolumeReclaimPolicy: 'Delete' },
    status: { phase },
  };
}

test('a claim of the class gets a volume once', () => {
  const waiting = claim('1');
  const others = [claim('2', { volumeName: 'pvc-2' }), claim('3', { storageClassName: 'other' }), claim('4')];
  const leaving = { ...claim('5'), metadata: { ...claim('5').metadata, deletionTimestamp: 'now' } };
  expect(findWaiting([waiting, ...others, leaving], [volume('pvc-4', 'Available')])).toEqual([waiting]);
});

test('the volume is bound to its claim and can be used on every node', () => {
  const { volume: built, path } = buildVolume(claim('1'), '/volumes');
  expect(path).toBe('/volumes/pvc-1');
  expect(built).toMatchObject({
    metadata: { name: 'pvc-1' },
    spec: { claimRef: { namespace: 'asr', name: 'data', uid: '1' }, local: { path }, capacity: { storage: '1Gi' } },
  });
});

test('only volumes of ours that were released are removed', () => {
  const released = volume('pvc-1', 'Released');
  expect(findReleased([released, volume('pvc-2', 'Bound'), volume('nfs', 'Released', 'other')])).toEqual([released]);
});
