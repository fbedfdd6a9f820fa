import { join } from 'node:path';
import { runJest } from '../checks/jest.ts';
import { addUp, runStep } from '../checks/step.ts';
import type { Tally } from '../checks/step.ts';
import { root } from '../launch/terminal.mjs';
import { splitRounds } from './arguments.ts';
import type { ChaosArguments } from './arguments.ts';

/** Runs a chaos scenario in parts. A failed part does not end the run, because the number of failures matters. */
export async function runChaos({ name, scenario, rounds }: ChaosArguments): Promise<Tally> {
  const tallies: Tally[] = [];
  let done = 0;
  for (const part of splitRounds(rounds, scenario.roundsInPart)) {
    // The test and its child processes read this variable.
    process.env.CHAOS_ROUNDS = String(part);
    const label = `chaos ${name}: rounds ${done + 1} to ${done + part} of ${rounds}`;
    const args = ['--verbose', '--runTestsByPath', join(root, scenario.test)];
    tallies.push(await runStep(label, () => runJest(args)));
    done += part;
  }
  return addUp(tallies);
}
