import type { Structural } from '../structural.ts';

type Json = Record<string, unknown>;
/**
 * Computes and returns a changed value. It is a function, because only a few of the thousands of possible changes are
 * used.
 */
type Change = () => unknown;

/** Values of several types. Most of them do not match a given schema. */
const OTHERS: readonly unknown[] = ['text', 7, 0.5, true, [], {}];

/** Strings that match a pattern of a schema, or nearly match one. */
const TEXTS = [
  ...['', ' ', '*', '_', '-', 'a/b', 'a/b/c', '..', 'a/../b', '/a', 'ki-', 'ki-KE', 'kik', 'kiku', 'Ki'],
  ...['http://a/b', 'https://', 'https://a', 'https://u:p@a/b', 'https://a/@b?c=d', 'https://a/b#c', 'https://a b/c'],
  ...['1.', '-1', '+1', '1Kib', '1 Gi', '1e', '0x1', '1k', '12e-3'],
];

/** Invalid and unusual times that some parsers accept. */
const MOMENTS = [
  ...['2030-01-01', '2030-01-01T00:00', '2030-01-01T00:00:00', '2030-01-01 00:00:00Z', '2030-01-01t00:00:00z'],
  ...['2030-02-29T00:00:00Z', '2030-13-01T00:00:00Z', '2030-00-10T00:00:00Z', '2030-04-31T00:00:00Z'],
  ...['2030-01-01T24:00:00Z', '2030-01-01T23:60:00Z', '2030-06-30T23:59:60Z', '2030-01-01T00:00:00+24:00'],
  ...['2030-01-01T00:00:00.Z', '2030-01-01T00:00:00,5Z', '2030-01-01T00:00:00.1234567890Z', '2030-01-01T00:00:00+0100'],
  ...['2030-01-01T00:00:00Z[Africa/Nairobi]', '20300-01-01T00:00:00Z', '1900-02-29T00:00:00Z', '0000-01-01T00:00:00Z'],
  ...['2000-02-29T00:00:00Z', '9999-12-31T23:59:59.999999999-23:59'],
];

/** A part of a value, with its schema. `put` returns a copy of the whole value in which this part is replaced. */
interface Part {
  schema: Structural;
  value: unknown;
  put: (other: unknown) => unknown;
}

/**
 * Returns a copy of a value with one change, such as a number at a limit of the schema or just beyond it. The copy may
 * no longer match the schema. The numbers in `picks` select the place and the change. Each level of nesting uses one
 * number, so that large parts are not changed more often than small ones.
 */
export function breakValue(schema: Structural, value: unknown, picks: Iterator<number>): unknown {
  const parts = partsOf(schema, value);
  const part = parts[pick(picks, parts.length + 1)];
  if (part !== undefined) return part.put(breakValue(part.schema, part.value, picks));
  const changes = changesOf(schema, value);
  return changes[pick(picks, changes.length)]?.();
}

function pick(picks: Iterator<number>, length: number): number {
  return Number(picks.next().value ?? 0) % length;
}

function partsOf({ items = {}, properties = {}, additionalProperties }: Structural, value: unknown): Part[] {
  if (Array.isArray(value)) {
    const list: unknown[] = value;
    return list.map((item, at) => ({ schema: items, value: item, put: (other) => list.with(at, other) }));
  }
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).map(([name, inner]: [string, unknown]) => ({
    schema: properties[name] ?? additionalProperties ?? {},
    value: inner,
    put: (other) => ({ ...value, [name]: other }),
  }));
}

function changesOf(schema: Structural, value: unknown): Change[] {
  const own = ownChanges(schema, value);
  // A value of another type is nearly always invalid, so a few of them suffice.
  return [...own, ...constants(OTHERS)];
}

function ownChanges(schema: Structural, value: unknown): Change[] {
  if (typeof value === 'string') return changesOfText(schema, value);
  if (typeof value === 'number') return changesOfNumber(schema);
  if (Array.isArray(value)) return changesOfList(schema, value);
  if (typeof value !== 'object' || value === null) return [];
  const { additionalProperties, maxProperties = 0 } = schema;
  return additionalProperties === undefined
    ? changesOfObject(schema, value as Json)
    : changesOfMap(maxProperties, value as Json);
}

function constants(values: readonly unknown[]): Change[] {
  return values.map((value) => () => value);
}

function changesOfText({ maxLength = 0, minLength = 0, format }: Structural, value: string): Change[] {
  const lengths = [maxLength, maxLength + 1, Math.max(0, minLength - 1)];
  return [
    ...lengths.flatMap((length) => ['x', '9', '🦁'].map((letter) => () => letter.repeat(length))),
    ...constants([`${value} `, `${value}\n`, value.toUpperCase(), `${value}.`, `-${value}`, ...TEXTS]),
    ...constants(format === 'date-time' ? MOMENTS : []),
  ];
}

function changesOfNumber({ minimum = 0, maximum = 1 }: Structural): Change[] {
  return constants([minimum - 1, minimum, minimum + 0.5, maximum - 0.5, maximum, maximum + 1, 299, 300, 329, 330, 0]);
}

function changesOfList({ maxItems = 0, 'x-kubernetes-list-map-keys': keys }: Structural, value: unknown[]): Change[] {
  const [first] = value;
  const [key] = (keys ?? []) as string[];
  if (first === undefined) return [() => [null]];
  const item = (at: number) => (key === undefined ? first : { ...(first as Json), [key]: `k${at}` });
  const filled = (length: number) => () => Array.from({ length }, (_, at) => item(at));
  return [() => [...value, null], () => [...value, first], filled(maxItems), filled(maxItems + 1)];
}

function changesOfMap(maxProperties: number, value: Json): Change[] {
  const [inner] = Object.values(value);
  const filled = (length: number) => () =>
    Object.fromEntries(Array.from({ length }, (_, at) => [`k${at}`, inner ?? 'x']));
  return [filled(maxProperties), filled(maxProperties + 1), () => ({ ...value, 'asr.svc.dev/x': inner ?? 'x' })];
}

/** Adds an unknown field, removes a field, or adds a field with a wrong or conflicting value. */
function changesOfObject({ properties = {} }: Structural, value: Json): Change[] {
  const names = Object.keys(properties);
  const without = (name: string) => () => Object.fromEntries(Object.entries(value).filter(([key]) => key !== name));
  const absent = names.filter((name) => !(name in value));
  return [
    () => ({ ...value, notAField: 1 }),
    ...names.filter((name) => name in value).map(without),
    ...absent.flatMap((name) =>
      [...OTHERS, ...(properties[name]?.enum ?? [])].map((other) => () => ({ ...value, [name]: other })),
    ),
  ];
}
