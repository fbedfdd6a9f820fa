import type { ResourceOf } from '@svc-asr/core';
import type { CatalogueEntry, Ledger } from '@svc-asr/ledger';
import type { ResourceSource } from '../source/source.ts';
import { coalesce } from './coalesce.ts';

export interface CataloguePublisher {
  /** Writes the catalogue of the source's models if it differs from the one in Redis. */
  publish: () => Promise<void>;
  /** Publishes a catalogue without this model, which was deleted. */
  withdraw: (model: string) => Promise<void>;
}

/**
 * Creates the publisher of the catalogue, which lists the models that gateways serve. Concurrent changes are published
 * together.
 */
export function createCataloguePublisher(
  ledger: Pick<Ledger['catalogue'], 'read' | 'holds' | 'replace'>,
  source: Pick<ResourceSource, 'list' | 'unsettled'>,
): CataloguePublisher {
  /**
   * Models that were certainly deleted. The catalogue does not contain them, even while the source may be incomplete.
   */
  const withdrawn = new Set<string>();
  const publish = coalesce(async () => {
    const models = source.list('ASRModel');
    for (const { metadata } of models) withdrawn.delete(metadata.name);
    const isSettled = source.unsettled() === undefined;
    const kept = isSettled ? [] : ((await ledger.read()) ?? []).filter(({ id }) => !withdrawn.has(id));
    const entries = buildCatalogue(models, kept);
    // `holds` compares the serialized text in Redis. Reading and comparing the catalogue for each of thousands of
    // models would be slow.
    if (!(await ledger.holds(entries))) await ledger.replace(entries);
  });
  return {
    publish,
    withdraw: (model) => {
      withdrawn.add(model);
      return publish();
    },
  };
}

/** Builds the entries of the models, plus entries of `kept` for other models, sorted by id. */
export function buildCatalogue(
  models: readonly ResourceOf<'ASRModel'>[],
  kept: readonly CatalogueEntry[],
): CatalogueEntry[] {
  const entries = new Map(kept.map((entry) => [entry.id, entry]));
  for (const model of models) entries.set(model.metadata.name, buildEntry(model));
  return [...entries.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
}

function buildEntry({ metadata, spec }: ResourceOf<'ASRModel'>): CatalogueEntry {
  return {
    id: metadata.name,
    language: spec.language,
    languageCode: spec.languageCode,
    maxAudioSeconds: spec.maxAudioSeconds,
    maxWaitSeconds: spec.scaling.maxWaitSeconds,
  };
}
