import { checkReconciled } from '@svc-asr/core';
import type { ReconciledResource } from '@svc-asr/core';
import type { CatalogueEntry } from '@svc-asr/ledger';
import { model } from '../testing/resources.ts';
import { createCataloguePublisher } from './catalogue.ts';

function resource(name: string, spec: object = {}): ReconciledResource {
  const checked = checkReconciled(model(name, spec));
  if (!checked.ok) throw new Error('the test resource is invalid');
  return checked.value;
}

const entry = (id: string, maxWaitSeconds = 120): CatalogueEntry => ({
  id,
  language: 'Kikuyu',
  languageCode: 'ki',
  maxAudioSeconds: 300,
  maxWaitSeconds,
});

function setUp(before: CatalogueEntry[] | undefined, models: ReconciledResource[], unsettled?: string) {
  const state = { stored: before, writes: 0, models, unsettled };
  const catalogue = createCataloguePublisher(
    {
      read: () => Promise.resolve(state.stored),
      holds: (entries) => Promise.resolve(JSON.stringify(state.stored) === JSON.stringify(entries)),
      replace: (entries) => {
        state.stored = [...entries];
        state.writes += 1;
        return Promise.resolve();
      },
    },
    { list: () => state.models as never, unsettled: () => state.unsettled },
  );
  return { catalogue, state, ids: () => state.stored?.map(({ id }) => id) };
}

test('the catalogue has an entry for each model, sorted by id', async () => {
  const { catalogue, state } = setUp(undefined, [resource('b', { scaling: { maxWaitSeconds: 5 } }), resource('a')]);
  await catalogue.publish();
  expect(state.stored).toEqual([entry('a'), entry('b', 5)]);
});

test('an empty catalogue is written, so that gateways know that there are no models', async () => {
  const { catalogue, state } = setUp(undefined, []);
  await catalogue.publish();
  expect(state.stored).toEqual([]);
});

test('the catalogue is not written if it is unchanged', async () => {
  const { catalogue, state } = setUp([entry('a')], [resource('a')]);
  await catalogue.publish();
  expect(state.writes).toBe(0);
});

test('the catalogue drops a model that is missing from a complete source', async () => {
  const { catalogue, ids } = setUp([entry('a'), entry('gone')], [resource('a')]);
  await catalogue.publish();
  expect(ids()).toEqual(['a']);
});

test('the catalogue keeps a model that is missing from an incomplete source until withdraw() is called for the model', async () => {
  const { catalogue, ids, state } = setUp([entry('deleted'), entry('held')], [resource('a')], 'a file is bad');
  await catalogue.publish();
  expect(ids()).toEqual(['a', 'deleted', 'held']);
  await catalogue.withdraw('deleted');
  expect(ids()).toEqual(['a', 'held']);
  state.models = [resource('a'), resource('deleted')];
  await catalogue.publish();
  expect(ids()).toEqual(['a', 'deleted', 'held']);
});

test('the catalogue publishes many concurrent changes with few writes', async () => {
  const { catalogue, state } = setUp(undefined, [resource('a')]);
  await Promise.all(Array.from({ length: 100 }, () => catalogue.publish()));
  expect(state.writes).toBe(1);
});
