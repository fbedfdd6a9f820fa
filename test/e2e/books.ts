import { eventually } from '../support/eventually.ts';
import { SOON_MS } from './stage.ts';
import type { Stage } from './stage.ts';

/** Nothing is live or reserved any more, and what was granted is all there: used or left. */
export async function expectBalanced(stage: Stage, tenant: string): Promise<void> {
  const admin = await stage.admin();
  const account = await eventually(`no session of ${tenant} is live`, SOON_MS, async () => {
    const now = await admin.account(tenant);
    return now.live_sessions === 0 && now;
  });
  const { granted_ms, available_ms, reserved_ms, consumed_ms } = account.credits;
  expect(reserved_ms).toBe(0);
  expect(available_ms + consumed_ms).toBe(granted_ms);
  expect(consumed_ms).toBeGreaterThan(0);
}
