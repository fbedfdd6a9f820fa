import { startControl } from './control.ts';

test('tells users how many shall speak, and when none does any more', async () => {
  const control = await startControl();
  const ask = async (user: number) => (await fetch(`${control.url}/?user=${user}`)).text();
  try {
    control.want(2);
    expect([await ask(1), await ask(2)]).toEqual(['2', '2']);
    control.want(0);
    let idle = false;
    const everybody = control.everybodyIdle(new AbortController().signal).then(() => (idle = true));
    await ask(1);
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(idle).toBe(false);
    expect(await ask(2)).toBe('0');
    await everybody;
    expect(idle).toBe(true);
  } finally {
    control.close();
  }
});
