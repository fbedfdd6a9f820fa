import { eventually } from '../support/eventually.ts';
import { SOON_MS } from './harness.ts';
import type { Harness } from './harness.ts';

/**
 * Waits until a tenant has no live session; then checks that nothing is reserved and that all credit is accounted for.
 */
export async function expectBalanced(harness: Harness, tenant: string): Promise<void> {
  const admin = await harness.openAdmin();
  const account = await eventually(`no session of ${tenant} is live`, SOON_MS, async () => {
    const now = await admin.account(tenant);
    return now.live_sessions === 0 && now;
  });
  const { granted_ms, available_ms, reserved_ms, consumed_ms } = account.credits;
  expect(reserved_ms).toBe(0);
  expect(available_ms + consumed_ms).toBe(granted_ms);
  expect(consumed_ms).toBeGreaterThan(0);
}
