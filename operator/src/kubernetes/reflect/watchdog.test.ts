import { createFakeClock } from '../../testing/fake-clock.ts';
import { createWatchdog } from './watchdog.ts';

function setUp(limits = { quietMs: 100, lastMs: 1000 }) {
  const clock = createFakeClock();
  const barks: string[] = [];
  return { clock, barks, dog: createWatchdog(clock, limits, (why) => barks.push(why)) };
}

test('barks when nothing came for the quiet time, counted from what came last', () => {
  const { clock, barks, dog } = setUp();
  clock.advance(99);
  dog.heard();
  clock.advance(99);
  expect(barks).toEqual([]);
  clock.advance(1);
  expect(barks).toEqual(['nothing came for 100 ms']);
});

test('barks when it lasts too long, however much comes', () => {
  const { clock, barks, dog } = setUp();
  for (let n = 0; n < 20; n++) {
    dog.heard();
    clock.advance(50);
  }
  expect(barks).toEqual(['the server did not end it within 1000 ms']);
});

test('is silent once stopped', () => {
  const { clock, barks, dog } = setUp();
  dog.stop();
  clock.advance(10_000);
  expect(barks).toEqual([]);
});
