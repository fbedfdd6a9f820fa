import { findRolloutRoom } from './room.ts';

test.each([
  { maxSurge: '25%', maxUnavailable: 0, workers: 1, surge: 1, unavailable: 0 },
  { maxSurge: '25%', maxUnavailable: '25%', workers: 10, surge: 3, unavailable: 2 },
  { maxSurge: 0, maxUnavailable: 0, workers: 3, surge: 0, unavailable: 1 },
  { maxSurge: '0%', maxUnavailable: '10%', workers: 3, surge: 0, unavailable: 1 },
  { maxSurge: 0, maxUnavailable: 5, workers: 3, surge: 0, unavailable: 3 },
  { maxSurge: 0, maxUnavailable: 5, workers: 0, surge: 0, unavailable: 0 },
])(
  'findRolloutRoom with maxSurge $maxSurge and maxUnavailable $maxUnavailable allows $surge more and $unavailable fewer than $workers workers',
  ({ maxSurge, maxUnavailable, workers, surge, unavailable }) => {
    expect(findRolloutRoom({ maxSurge, maxUnavailable }, workers)).toEqual({ surge, unavailable });
  },
);
