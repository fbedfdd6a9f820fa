import { openHarness } from './harness.ts';
import type { Harness } from './harness.ts';
import { acrossVersions, openAccess } from './live-streams.ts';
import type { Access } from './streams.ts';
import { PREVIOUS, rollBack, upgrade } from './versions.ts';

let harness: Harness;
let access: Access;

beforeAll(async () => {
  harness = await openHarness();
  access = await openAccess(harness);
});

test(`helm rolls this commit back to ${PREVIOUS.name} without interrupting a stream`, async () => {
  await acrossVersions(harness, access, () => rollBack(harness));
}, 600_000);

test(`helm upgrades to this commit again after the rollback to ${PREVIOUS.name}`, async () => {
  await acrossVersions(harness, access, () => upgrade(harness));
}, 600_000);
