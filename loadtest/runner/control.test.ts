import { startControl } from './control.ts';

test('the control server returns the number of streams and reports when all users are idle', async () => {
  const control = await startControl();
  const ask = async (user: number) => (await fetch(`${control.url}/?user=${user}`)).text();
  try {
    control.setStreams(2);
    expect([await ask(1), await ask(2)]).toEqual(['2', '2']);
    control.setStreams(0);
    let idle = false;
    const allIdle = control.waitUntilIdle(new AbortController().signal).then(() => (idle = true));
    await ask(1);
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(idle).toBe(false);
    expect(await ask(2)).toBe('0');
    await allIdle;
    expect(idle).toBe(true);
  } finally {
    control.close();
  }
});
