import type { Kind } from '@svc-asr/core';
import fc from 'fast-check';
import { buildSchema } from '../definition.ts';
import type { Structural } from '../structural.ts';
import { apiKey, invitation, member, model, tenant } from './resources.ts';
import type { Sent } from './resources.ts';

type Values = fc.Arbitrary<unknown>;

/** Maximum length of generated lists and maps, which keeps resources small. Other tests exceed the real limits. */
const MOST_ITEMS = 3;
/** Includes characters whose length differs between code points, UTF-16 units and graphemes. */
const LETTERS = ['a', 'Z', '0', ' ', '/', '.', '-', 'ĩ', 'i\u0303', 'ŋ', '🦁', '\n', '"', '\u00a0'];
const KEYS = ['team', 'example.com/part', 'a', 'asr.svc.devel/x', 'cpu', 'memory', 'nvidia.com/gpu'];

/** Generators for fields where arbitrary valid values would mostly violate a rule. */
const BY_NAME: Readonly<Record<string, (schema: Structural) => Values>> = {
  artifact: (schema) =>
    fc.oneof(
      some(schema, ['path']),
      some(schema, ['persistentVolumeClaim']),
      some(schema, ['image']),
      some(schema, ['url', 'sha256'], ['secretRef', 'cache']),
    ),
  persistentVolumeClaim: (schema) =>
    fc.record({
      claimName: valuesOf(schema.properties?.claimName ?? {}),
      path: fc.constantFrom('', 'a', 'models/kikuyu', 'a..b', '.', 'ĩ/🦁'),
    }),
  env: ({ items = {} }) =>
    uniqueBy('name', fc.oneof(some(items, ['name'], ['value']), some(items, ['name', 'valueFrom']))),
  valueFrom: (schema) => fc.oneof(...Object.keys(schema.properties ?? {}).map((source) => some(schema, [source]))),
  pools: ({ items = {} }) =>
    uniqueBy(
      'name',
      fc
        .tuple(objectOf(items), fc.integer({ min: 0, max: 3 }), fc.constantFrom(3, 10_000))
        .map(([fields, min, max]) => {
          return { ...(fields as object), min, max };
        }),
    ),
  resourceClaims: ({ items = {} }) =>
    uniqueBy(
      'name',
      fc.oneof(
        some(items, ['name', 'resourceClaimTemplateName'], ['request']),
        some(items, ['name', 'resourceClaimName'], ['request']),
      ),
    ),
  maxSurge: () => fc.constantFrom(0, 1, 10_000, '0%', '25%', '100%'),
  maxUnavailable: () => fc.constantFrom(0, 1, 10_000, '0%', '25%', '100%'),
  maxAudioSeconds: () => fc.constant(300),
  drainSeconds: () => fc.constantFrom(330, 331, 7200),
  scaling: (schema) =>
    fc
      .tuple(objectOf(schema), fc.integer({ min: 0, max: 3 }), fc.constantFrom(3, 4, 10_000), fc.boolean())
      .map(([fields, min, max, external]) => {
        const { replicas, ...others } = fields as { replicas?: number };
        return {
          ...others,
          min,
          max,
          ...(external ? { mode: 'External', replicas: replicas ?? 1 } : { mode: 'Sessions' }),
        };
      }),
};

/** Generates resources that mostly satisfy all rules and use every field from time to time. */
export function resourcesOf(kind: Kind): fc.Arbitrary<Sent> {
  const spec = valuesOf(buildSchema(kind).properties?.spec ?? {}) as fc.Arbitrary<Record<string, unknown>>;
  const name = fc.oneof(fc.stringMatching(/^[a-z0-9][a-z0-9-]{0,61}[a-z0-9]$/), fc.constant('a'));
  return fc.tuple(name, spec).map(([text, value]) => {
    if (kind === 'ASRModel') return model(withoutConflicts(value), text);
    if (kind === 'Tenant') return tenant(value, text);
    return kind === 'Member' ? buildMember(value, text) : apiKey(value, String(value.keyId).toLowerCase());
  });
}

/** Returns a member without an invitation, or an invitation without issuer and subject. */
function buildMember({ issuer, subject, invitation: pending, ...spec }: Record<string, unknown>, name: string): Sent {
  if (pending !== undefined) return invitation({ ...spec, invitation: pending }, name);
  return member({ ...spec, ...(issuer !== undefined && { issuer }), ...(subject !== undefined && { subject }) }, name);
}

/** Returns the spec of a guest without the fields that only its host may set. */
function withoutPods(spec: Record<string, unknown>): Record<string, unknown> {
  const { slots } = (spec.worker ?? {}) as { slots?: number };
  return { ...spec, worker: slots === undefined ? {} : { slots } };
}

/** Returns a spec without the fields that its `hostedBy` or `pools` excludes. */
function withoutConflicts({ pools, ...spec }: Record<string, unknown>): Record<string, unknown> {
  if ('hostedBy' in spec) return withoutPods(spec);
  if (pools === undefined) return spec;
  const { image, env } = (spec.worker ?? {}) as { image?: unknown; env?: unknown };
  const worker = { ...(image !== undefined && { image }), ...(env !== undefined && { env }) };
  const { bufferSessions } = (spec.scaling ?? {}) as { bufferSessions?: unknown };
  return { ...spec, pools, worker, scaling: bufferSessions === undefined ? {} : { bufferSessions } };
}

function valuesOf(schema: Structural, name = ''): Values {
  const own = BY_NAME[name]?.(schema) ?? ofType(schema);
  return schema.nullable === true ? fc.option(own) : own;
}

function ofType(schema: Structural): Values {
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
  if (schema['x-kubernetes-int-or-string'] === true) {
    return fc.constantFrom(0, 1, 64, '0', '1', '500m', '0.5', '4Gi', '1e3', '.5', '2E-1', '1.5k');
  }
  const { type, minimum = 0, maximum = 9, additionalProperties } = schema;
  if (type === 'string') return textOf(schema);
  if (type === 'integer')
    return fc.oneof(fc.constantFrom(minimum, maximum), fc.integer({ min: minimum, max: maximum }));
  if (type === 'number') return fc.constantFrom(minimum, maximum, 0.5);
  if (type === 'boolean') return fc.boolean();
  if (type === 'array') return listOf(schema);
  return additionalProperties === undefined ? objectOf(schema) : mapOf(additionalProperties);
}

function textOf({ format, pattern, minLength = 0, maxLength = 9 }: Structural): Values {
  if (format === 'date-time') {
    return fc.constantFrom(
      '2030-01-01T00:00:00Z',
      '2028-02-29T23:59:59.123456789+03:00',
      '2026-12-31T00:00:00.5-12:59',
    );
  }
  if (pattern !== undefined) {
    return fc.stringMatching(new RegExp(pattern, 'u')).filter((text) => lettersOf(text).length <= maxLength);
  }
  const length = fc.oneof(
    fc.constantFrom(minLength, Math.min(maxLength, 400)),
    fc.integer({ min: minLength, max: 12 }),
  );
  return fc
    .tuple(fc.array(fc.constantFrom(...LETTERS), { minLength: 1, maxLength: 6 }), length)
    .map(([letters, wanted]) => lettersOf(letters.join('').repeat(wanted)).slice(0, wanted).join(''));
}

function listOf({ items = {}, minItems = 0, 'x-kubernetes-list-map-keys': keys }: Structural): Values {
  const [key] = (keys ?? []) as string[];
  if (key !== undefined) return uniqueBy(key, valuesOf(items));
  return fc.array(valuesOf(items), { minLength: minItems, maxLength: MOST_ITEMS });
}

function uniqueBy(key: string, items: Values): Values {
  const selector = (item: Record<string, unknown>) => item[key];
  return fc.uniqueArray(items as fc.Arbitrary<Record<string, unknown>>, { maxLength: MOST_ITEMS, selector });
}

function mapOf(values: Structural): Values {
  return fc.dictionary(fc.constantFrom(...KEYS), valuesOf(values), { maxKeys: MOST_ITEMS, noNullPrototype: true });
}

function objectOf(schema: Structural): Values {
  const { properties = {}, required = [] } = schema;
  return some(
    schema,
    required,
    Object.keys(properties).filter((name) => !required.includes(name)),
  );
}

/** Generates objects with all required and some optional fields. */
function some({ properties = {} }: Structural, fields: readonly string[], optional: readonly string[] = []): Values {
  const model = Object.fromEntries(
    [...fields, ...optional].map((name) => [name, valuesOf(properties[name] ?? {}, name)] as const),
  );
  return fc.record(model, { requiredKeys: [...fields], noNullPrototype: true }).map(dropUndefined);
}

function dropUndefined(value: object): object {
  return Object.fromEntries(Object.entries(value).filter(([, inner]) => inner !== undefined));
}

/** Splits text into code points, which the length limits count. */
function lettersOf(text: string): string[] {
  return Array.from(text);
}
