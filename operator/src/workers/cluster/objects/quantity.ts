const FACTORS: Readonly<Record<string, number>> = {
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

/** The value of a Kubernetes quantity such as `500m` or `4Gi`; undefined: it is none. */
export function readQuantity(quantity: unknown): number | undefined {
  if (typeof quantity === 'number') return quantity;
  if (typeof quantity !== 'string') return undefined;
  const [, number, suffix = ''] = /^([+-]?[0-9.]+(?:[eE][+-]?[0-9]+)?)([numkMGTPE]i?|)$/.exec(quantity) ?? [];
  const factor = FACTORS[suffix];
  if (number === undefined || factor === undefined) return undefined;
  const value = Number(number) * factor;
  return Number.isNaN(value) ? undefined : Number(value.toPrecision(15));
}
