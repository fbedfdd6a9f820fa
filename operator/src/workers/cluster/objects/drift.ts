import type { KubeObject } from '@svc-asr/kubernetes';
import { ANNOTATIONS } from '../names.ts';
import { readQuantity } from './quantity.ts';

/** Fields by which the API server tells the items of a list apart; other lists are one value as a whole. */
const ITEM_KEYS = ['name', 'mountPath', 'topologyKey'] as const;

/**
 * Whether an object has to be applied: it is not there, something else is wanted than was applied, or somebody changed
 * what was. Fields that others added are none of our business.
 */
export function hasDrifted(live: KubeObject | undefined, wanted: KubeObject): boolean {
  if (live === undefined) return true;
  const { applied } = ANNOTATIONS;
  if (live.metadata.annotations?.[applied] !== wanted.metadata.annotations?.[applied]) return true;
  return !covers(live, wanted);
}

/** Whether everything that is wanted is there, defaults and fields of others left aside. */
export function covers(live: unknown, wanted: unknown): boolean {
  if (Array.isArray(wanted)) return Array.isArray(live) && coversList(live, wanted);
  if (typeof wanted === 'object' && wanted !== null) {
    if (typeof live !== 'object' || live === null) return Object.keys(wanted).length === 0;
    return Object.entries(wanted).every(([field, value]) => covers((live as Record<string, unknown>)[field], value));
  }
  return live === wanted || isSameQuantity(live, wanted);
}

function coversList(live: readonly unknown[], wanted: readonly unknown[]): boolean {
  const key = ITEM_KEYS.find((name) => wanted.length > 0 && wanted.every((item) => hasField(item, name)));
  if (key === undefined) {
    return live.length === wanted.length && wanted.every((item, at) => covers(live[at], item));
  }
  return wanted.every((item) =>
    live.some(
      (other) => hasField(other, key) && other[key] === (item as Record<string, unknown>)[key] && covers(other, item),
    ),
  );
}

function hasField(item: unknown, name: string): item is Record<string, unknown> {
  return typeof item === 'object' && item !== null && name in item;
}

/** The API server writes quantities in its own way: `0.5` becomes `500m`. */
function isSameQuantity(live: unknown, wanted: unknown): boolean {
  const [a, b] = [live, wanted].map(readQuantity);
  return a !== undefined && a === b;
}
