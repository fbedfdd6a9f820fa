import { checkResource } from '@svc-asr/core';
import type { AsrModel } from '@svc-asr/core';
import { model } from '../../testing/resources.ts';
import { findGuests, findHost, MAX_GUESTS } from './find-host.ts';

function create(name: string, hostedBy?: string): AsrModel {
  const checked = checkResource(model(name, hostedBy === undefined ? {} : { hostedBy }));
  if (!checked.ok) throw new Error(JSON.stringify(checked.problems));
  return checked.value as AsrModel;
}

function sourceOf(...models: AsrModel[]) {
  const get = (_kind: string, name: string) => models.find(({ metadata }) => metadata.name === name);
  return { get: get as never, list: () => models as never };
}

const namesOf = (models: readonly AsrModel[]) => models.map(({ metadata }) => metadata.name);

describe('findHost', () => {
  test('returns the host of a guest', () => {
    const [host, guest] = [create('host'), create('guest', 'host')];
    expect(findHost(guest, sourceOf(host, guest))).toEqual({ host });
  });

  test('returns HostMissing with the name of a host that does not exist', () => {
    const guest = create('guest', 'host');
    expect(findHost(guest, sourceOf(guest))).toMatchObject({
      problem: { reason: 'HostMissing', message: expect.stringContaining('model "host"') as string },
    });
  });

  test('refuses a host that is itself a guest, and two models that host each other', () => {
    const [host, middle, guest] = [create('host'), create('middle', 'host'), create('guest', 'middle')];
    expect(findHost(guest, sourceOf(host, middle, guest))).toMatchObject({ problem: { reason: 'HostIsGuest' } });
    const [a, b] = [create('a', 'b'), create('b', 'a')];
    for (const one of [a, b])
      expect(findHost(one, sourceOf(a, b))).toMatchObject({ problem: { reason: 'HostIsGuest' } });
  });

  test('refuses a guest if the host already has the maximum number of guests', () => {
    const guests = Array.from({ length: MAX_GUESTS + 1 }, (_, at) => create(`guest-${at}`, 'host'));
    const source = sourceOf(create('host'), ...guests);
    const found = guests.map((guest) => 'host' in findHost(guest, source));
    expect(found).toEqual([...Array<boolean>(MAX_GUESTS).fill(true), false]);
  });
});

describe('findGuests', () => {
  test('returns the guests of a model sorted by name, and no guests if the model is itself a guest', () => {
    const models = [create('host'), create('z', 'host'), create('a', 'host'), create('other'), create('b', 'a')];
    const [host, , a] = models as [AsrModel, AsrModel, AsrModel];
    expect(namesOf(findGuests(host, sourceOf(...models)))).toEqual(['a', 'z']);
    expect(findGuests(a, sourceOf(...models))).toEqual([]);
  });
});
