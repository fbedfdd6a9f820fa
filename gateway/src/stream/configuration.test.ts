import { buildConfiguration, describeRefusal, findMissingPart } from './configuration.ts';
import { isSameConfiguration, refuseConfig } from './configuration.ts';

const PHRASES = { phrases: [{ text: 'nyeri' }, { text: 'thika', boost: 2 }] };
const OPENED = { type: 'opened', chunk_samples: 1, context: [56, 13] as [number, number], buffer_samples: 1 } as const;

test('buildConfiguration gives phrases without a boost the default boost', () => {
  expect(buildConfiguration(PHRASES).phrases).toEqual([
    { text: 'nyeri', boost: 5 },
    { text: 'thika', boost: 2 },
  ]);
});

test.each([[{}], [{ phrases: [] }]])('buildConfiguration returns no phrases for %j', (fields) => {
  expect(buildConfiguration(fields).phrases).toBeUndefined();
});

test('isSameConfiguration compares texts, boosts and the order of phrases', () => {
  const configurations = [
    buildConfiguration(PHRASES),
    buildConfiguration({ phrases: PHRASES.phrases.toReversed() }),
    buildConfiguration({ phrases: [{ text: 'nyeri' }, { text: 'thika', boost: 3 }] }),
    buildConfiguration({ phrases: [{ text: 'nyeri' }] }),
    buildConfiguration(),
  ];
  for (const [i, one] of configurations.entries()) {
    for (const [j, other] of configurations.entries()) expect(isSameConfiguration(one, other)).toBe(i === j);
  }
  expect(isSameConfiguration(buildConfiguration(PHRASES), buildConfiguration(PHRASES))).toBe(true);
});

test.each([
  [{}, {}, undefined],
  [PHRASES, {}, 'phrasesNotYet'],
  [PHRASES, { phrases: false }, 'phrases'],
  [PHRASES, { phrases: true }, undefined],
  [{ ...PHRASES, endpointing: { silence_ms: 500 } }, { phrases: true }, 'endpointing'],
])('findMissingPart of the config %j and the confirmation %j is %s', (config, confirmation, part) => {
  expect(findMissingPart(buildConfiguration(config), { ...OPENED, ...confirmation })).toBe(part);
});

test('describeRefusal names the context that a model does not support', () => {
  expect(describeRefusal('context', buildConfiguration({ context: [56, 7] }))).toBe(
    'The model does not support the context [56, 7]. GET /v1/models lists its contexts.',
  );
});

test('refuseConfig names a language that the model does not support', () => {
  expect(refuseConfig('ki', 'ki', false)).toBeUndefined();
  expect(refuseConfig('ki', 'luo', false)).toEqual({
    code: 'invalid_config',
    message: 'The model supports only the language "ki" (received "luo").',
  });
});
