import { GreedyCtc } from '../decode/ctc.ts';
import { DeviceRnnt } from '../decode/device-rnnt.ts';
import { PhraseBeam } from '../decode/phrases/beam.ts';
import type { PhraseGraph } from '../decode/phrases/graph.ts';
import { Transcript } from '../decode/pieces.ts';
import { GreedyRnnt } from '../decode/rnnt.ts';
import type { Joint } from '../decode/rnnt.ts';
import type { Vocabulary } from '../model/tokens.ts';

/** The search of one utterance, for a CTC or a transducer model. */
export interface Search {
  readonly transcript: Transcript;
  readonly state: GreedyCtc | PhraseBeam | GreedyRnnt | DeviceRnnt;
}

/** Returns a function that restores the present state of a search. */
export function saveSearch({ transcript, state }: Search): () => void {
  // After the save, a beam search may have replaced pieces of the transcript that were decoded before the save. So its
  // state is restored first, which writes these pieces again. Then the transcript removes all pieces that were added
  // after the save.
  const restores = [state.save(), transcript.save()];
  return () => {
    for (const restore of restores) restore();
  };
}

/** Creates the search of a new utterance. `joint` is undefined for a CTC model. Only CTC models support phrases. */
export function startSearch(
  vocabulary: Vocabulary,
  joint: Joint | undefined,
  alternatives: number,
  phrases?: PhraseGraph,
): Search {
  const transcript = new Transcript(vocabulary.pieces, alternatives);
  if (joint !== undefined) return { transcript, state: new GreedyRnnt(vocabulary.blank, joint, transcript) };
  return { transcript, state: startCtc(vocabulary, transcript, phrases) };
}

/** Creates the search of a new utterance for a model whose best classes or pieces are computed on a device. */
export function startDeviceSearch(
  vocabulary: Vocabulary,
  type: 'ctc' | 'transducer',
  alternatives: number,
  phrases?: PhraseGraph,
): Search {
  const transcript = new Transcript(vocabulary.pieces, alternatives);
  if (type === 'transducer') return { transcript, state: new DeviceRnnt(vocabulary.blank, transcript) };
  return { transcript, state: startCtc(vocabulary, transcript, phrases) };
}

function startCtc({ pieces, blank }: Vocabulary, transcript: Transcript, phrases: PhraseGraph | undefined) {
  if (phrases === undefined) return new GreedyCtc(blank, transcript);
  return new PhraseBeam(blank, pieces, phrases, transcript);
}
