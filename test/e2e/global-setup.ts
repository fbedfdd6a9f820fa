import { startAccess } from './access.ts';
import { openTools } from './harness.ts';

/** Opens loopback ports to the installation before the first test file, and closes them when jest exits. */
export default async function setUp(): Promise<void> {
  const forwards = await startAccess(await openTools());
  process.on('exit', () => {
    for (const forward of forwards) forward.close();
  });
}
