/** Faults that are injected again and again into a running service. */
export interface Scenario {
  /** One line for the list. */
  readonly what: string;
  /** The test that injects them; CHAOS_ROUNDS tells it how often. */
  readonly test: string;
  /** Rounds unless somebody says otherwise. */
  readonly rounds: number;
  /** Rounds that fit the test's own time limit; more are run as several parts, each with a fresh service. */
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
