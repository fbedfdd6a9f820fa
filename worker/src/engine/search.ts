import { GreedyCtc } from '../decode/ctc.ts';
import { DeviceRnnt } from '../decode/device-rnnt.ts';
import { Transcript } from '../decode/pieces.ts';
import { GreedyRnnt } from '../decode/rnnt.ts';
import type { Joint } from '../decode/rnnt.ts';
import type { Vocabulary } from '../model/tokens.ts';

/** The search of one utterance, for a CTC or a transducer model. */
export interface Search {
  readonly transcript: Transcript;
  readonly state: GreedyCtc | GreedyRnnt | DeviceRnnt;
}

/** Returns a function that restores the present state of a search. */
export function saveSearch({ transcript, state }: Search): () => void {
  const restores = [transcript.save(), state.save()];
  return () => {
    for (const restore of restores) restore();
  };
}

/** Creates the search of a new utterance. A CTC model has no joint network. */
export function startSearch({ pieces, blank }: Vocabulary, joint: Joint | undefined, alternatives: number): Search {
  const transcript = new Transcript(pieces, alternatives);
  const state = joint === undefined ? new GreedyCtc(blank, transcript) : new GreedyRnnt(blank, joint, transcript);
  return { transcript, state };
}

/** Creates the search of a new utterance for a model whose best classes or pieces are computed on a device. */
export function startDeviceSearch(
  { pieces, blank }: Vocabulary,
  type: 'ctc' | 'transducer',
  alternatives: number,
): Search {
  const transcript = new Transcript(pieces, alternatives);
  const state = type === 'ctc' ? new GreedyCtc(blank, transcript) : new DeviceRnnt(blank, transcript);
  return { transcript, state };
}
