import { Attempts } from './attempts.ts';

test('Attempts refuses an attempt over the limit with 503 until another attempt has ended', () => {
  const attempts = new Attempts(2);
  const [first, second] = [attempts.take(), attempts.take()];
  expect(() => attempts.take()).toThrow(expect.objectContaining({ code: 'service_unavailable', status: 503 }));
  first();
  const third = attempts.take();
  expect(attempts.pending).toBe(2);
  second();
  third();
  expect(attempts.pending).toBe(0);
});

test('Attempts ignores a second call of the function that ends an attempt', () => {
  const attempts = new Attempts(2);
  const end = attempts.take();
  attempts.take();
  end();
  end();
  expect(attempts.pending).toBe(1);
});
