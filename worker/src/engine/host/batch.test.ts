import { join } from 'node:path';
import { goldenFolder } from '../../testing/data.ts';
import { createGoldenFolder } from '../../testing/folder.ts';
import type { GoldenKind } from '../../testing/folder.ts';
import type { OneWindow } from '../../testing/one-window.ts';
import { callOutside } from '../../testing/outside.ts';

const module = new URL('../../testing/one-window.ts', import.meta.url);

function runOnce(kind: GoldenKind, openChecks: boolean[]): Promise<OneWindow> {
  return callOutside(module, 'runOneWindow', createGoldenFolder(kind), join(goldenFolder, 'speech.wav'), openChecks);
}

test.each(['ctc', 'fused', 'split'] as const)(
  'BatchRunner returns events for an open stream of a %s model',
  async (kind) => {
    const { events, consumed } = await runOnce(kind, [true, true]);
    expect(events.map((event) => event.kind)).toContain('consumed');
    expect(consumed).toBeGreaterThan(0);
  },
);

test.each([
  ['while the encoder runs', []],
  ['during the search', [true]],
])(
  'BatchRunner returns no events of a stream that closes %s, and does not advance that stream',
  async (_when, openChecks) => {
    expect(await runOnce('split', openChecks)).toEqual({ events: [], consumed: 0 });
  },
);
