import { GreedyCtc } from '../decode/ctc.ts';
import { Transcript } from '../decode/pieces.ts';
import { GreedyRnnt } from '../decode/rnnt.ts';
import type { Joint } from '../decode/rnnt.ts';
import type { Vocabulary } from '../model/tokens.ts';

/** The search of one utterance, for a CTC or a transducer model. */
export interface Search {
  readonly transcript: Transcript;
  readonly state: GreedyCtc | GreedyRnnt;
}

/** Creates the search of a new utterance. A CTC model has no joint network. */
export function startSearch({ pieces, blank }: Vocabulary, joint: Joint | undefined): Search {
  const transcript = new Transcript(pieces);
  const state = joint === undefined ? new GreedyCtc(blank, transcript) : new GreedyRnnt(blank, joint, transcript);
  return { transcript, state };
}
