import { shareMachine, WHOLE_MACHINE } from './share.ts';

describe('shareMachine', () => {
  test('gives the whole machine to a single engine', () => {
    expect(shareMachine(0, 1)).toEqual(WHOLE_MACHINE);
  });

  test('gives each engine an equal part of the time, so that their slots add up to those of one machine', () => {
    const shares = [0, 1, 2].map((index) => shareMachine(index, 3).time);
    expect(shares.reduce((sum, share) => sum + share)).toBeCloseTo(1);
    expect(new Set(shares).size).toBe(1);
  });

  test('gives each engine an equal part of the memory, although later engines find less free memory than earlier ones', () => {
    let free = 90;
    const taken = [0, 1, 2].map((index) => {
      const part = free * shareMachine(index, 3).memory;
      free -= part;
      return part;
    });
    expect(taken).toEqual([30, 30, 30]);
  });
});
