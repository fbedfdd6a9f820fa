import type { AsrModel } from '@svc-asr/core';
import type { ResourceSource } from '../../source/source.ts';
import type { StartFailure } from '../runtime.ts';

/** Maximum number of guests of a host. Each guest has its own range of ports in a worker. */
export const MAX_GUESTS = 7;

type Source = Pick<ResourceSource, 'get' | 'list'>;

/** The host of a guest, or the reason why the guest has no host. */
export type FoundHost = { host: AsrModel } | { problem: StartFailure };

export function findHost(guest: AsrModel, source: Source): FoundHost {
  const name = guest.spec.hostedBy ?? '';
  const host = source.get('ASRModel', name);
  const not = (reason: string, message: string): FoundHost => ({ problem: { reason, message } });
  if (host === undefined) {
    return not('HostMissing', `model "${name}" (spec.hostedBy) does not exist: create it, or remove hostedBy`);
  }
  if (host.metadata.namespace !== guest.metadata.namespace) {
    const where = `namespace "${host.metadata.namespace ?? ''}"`;
    const remedy = 'create the guest there, name another host, or remove hostedBy';
    return not('HostInOtherNamespace', `model "${name}" (spec.hostedBy) is in ${where}: ${remedy}`);
  }
  const { hostedBy } = host.spec;
  if (hostedBy !== undefined) {
    const remedy = `set spec.hostedBy to "${hostedBy}", or remove it`;
    return not('HostIsGuest', `model "${name}" (spec.hostedBy) is itself hosted by "${hostedBy}": ${remedy}`);
  }
  if (!findGuests(host, source).some(({ metadata }) => metadata.name === guest.metadata.name)) {
    const remedy = 'name another host, or remove hostedBy';
    return not('HostFull', `model "${name}" (spec.hostedBy) already has ${MAX_GUESTS} guests: ${remedy}`);
  }
  return { host };
}

/**
 * Returns the guests that the workers of a model serve: the first `MAX_GUESTS` by name. A model that is itself a guest
 * has no guests.
 */
export function findGuests({ metadata, spec }: AsrModel, source: Pick<ResourceSource, 'list'>): AsrModel[] {
  if (spec.hostedBy !== undefined) return [];
  return source
    .list('ASRModel')
    .filter((model) => model.spec.hostedBy === metadata.name && model.metadata.namespace === metadata.namespace)
    .sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1))
    .slice(0, MAX_GUESTS);
}
