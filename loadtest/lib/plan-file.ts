import type { Plan } from './plan.ts';

/** The plan that `npm run loadtest` has written for this run. */
export const plan = read();

function read(): Plan {
  const file = __ENV.LOADTEST_PLAN;
  if (file === undefined)
    throw new Error('LOADTEST_PLAN is not set. Run the scenario with: npm run loadtest -- SCENARIO');
  return JSON.parse(open(file)) as Plan;
}
