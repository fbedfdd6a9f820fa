import type { KubeObject } from '@svc-asr/kubernetes';
import { ANNOTATIONS } from '../names.ts';

/**
 * Fields that identify the items of a list. The first field that all wanted items have is used. If there is none, the
 * list is compared as a whole.
 */
const ITEM_KEYS = ['name', 'mountPath', 'topologyKey'] as const;

const QUANTITY_FACTORS: Readonly<Record<string, number>> = {
  n: 1e-9,
  u: 1e-6,
  m: 1e-3,
  '': 1,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  P: 1e15,
  E: 1e18,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  Ti: 2 ** 40,
  Pi: 2 ** 50,
  Ei: 2 ** 60,
};

/**
 * Reports whether an object has to be applied. This is so if the object is missing or was applied with other content.
 * It is also so if another client changed a field that the operator sets. Fields that other clients added are ignored.
 */
export function hasDrifted(live: KubeObject | undefined, wanted: KubeObject): boolean {
  if (live === undefined) return true;
  const { applied } = ANNOTATIONS;
  if (live.metadata.annotations?.[applied] !== wanted.metadata.annotations?.[applied]) return true;
  return !covers(live, wanted);
}

/** Reports whether the live value has everything that is wanted. Defaults and fields of other clients are ignored. */
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

/**
 * Reports whether both values are quantities of the same amount. The API server changes the notation of quantities. For
 * example, `0.5` becomes `500m`.
 */
function isSameQuantity(live: unknown, wanted: unknown): boolean {
  const [a, b] = [live, wanted].map(readQuantity);
  return a !== undefined && a === b;
}

/** Returns the value of a Kubernetes quantity such as `500m` or `4Gi`. Undefined if it is not a quantity. */
export function readQuantity(quantity: unknown): number | undefined {
  if (typeof quantity === 'number') return quantity;
  if (typeof quantity !== 'string') return undefined;
  const [, number, suffix = ''] = /^([+-]?[0-9.]+(?:[eE][+-]?[0-9]+)?)([numkMGTPE]i?|)$/.exec(quantity) ?? [];
  const factor = QUANTITY_FACTORS[suffix];
  if (number === undefined || factor === undefined) return undefined;
  const value = Number(number) * factor;
  return Number.isNaN(value) ? undefined : Number(value.toPrecision(15));
}
