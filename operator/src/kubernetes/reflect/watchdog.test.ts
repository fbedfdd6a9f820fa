import { createFakeClock } from '../../testing/fake-clock.ts';
import { createWatchdog } from './watchdog.ts';

function setUp(limits = { idleTimeoutMs: 100, maxDurationMs: 1000 }) {
  const clock = createFakeClock();
  const reasons: string[] = [];
  return { clock, barks: reasons, dog: createWatchdog(clock, limits, (why) => reasons.push(why)) };
}

test('the watchdog fires after the idle timeout since the last activity', () => {
  const { clock, barks, dog } = setUp();
  clock.advance(99);
  dog.noteActivity();
  clock.advance(99);
  expect(barks).toEqual([]);
  clock.advance(1);
  expect(barks).toEqual(['nothing was received for 100 ms']);
});

test('the watchdog fires after the maximum duration, whatever is received', () => {
  const { clock, barks, dog } = setUp();
  for (let n = 0; n < 20; n++) {
    dog.noteActivity();
    clock.advance(50);
  }
  expect(barks).toEqual(['the server did not end it within 1000 ms']);
});

test('a stopped watchdog does not fire', () => {
  const { clock, barks, dog } = setUp();
  dog.stop();
  clock.advance(10_000);
  expect(barks).toEqual([]);
});
