import { startAccess } from './access.ts';
import { openTools } from './harness.ts';

/** Opens the ports of the installation before the first test file. They close when jest ends. */
export default async function setUp(): Promise<void> {
  const forwards = await startAccess(await openTools());
  process.on('exit', () => {
    for (const forward of forwards) forward.close();
  });
}
