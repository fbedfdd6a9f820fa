/** Faults that a test injects repeatedly into a running service. */
export interface Scenario {
  /** Description in one line, for the list of scenarios. */
  readonly what: string;
  /** Test that injects the faults. It reads the number of rounds from CHAOS_ROUNDS. */
  readonly test: string;
  /** Default number of rounds. */
  readonly rounds: number;
  /** Rounds that fit into the time limit of the test. Further rounds run in more parts, each with a new service. */
  readonly roundsInPart: number;
}

export const SCENARIOS: Readonly<Record<string, Scenario>> = {
  worker: {
    what: 'kill -9 and SIGSTOP of the worker at random moments of a stream, with a second worker present',
    test: 'test/stream/faults-worker.integration.test.ts',
    rounds: 50,
    roundsInPart: 5,
  },
};
