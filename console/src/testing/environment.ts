import { startRedis } from '../../../test/support/redis.ts';
import { startTestConsole, untilReady } from './console.ts';
import type { TestConsole } from './console.ts';
import { startTestOperator } from './operator.ts';

/** A console with a Redis of its own. `stop` stops both, and the substitute for the operator if there is one. */
export interface TestEnvironment extends TestConsole {
  readonly redis: Awaited<ReturnType<typeof startRedis>>;
}

/** Starts Redis, a console that is connected to it and, if wanted, a substitute for the operator. */
export async function startTestEnvironment({
  env = {},
  operator: hasOperator,
}: {
  env?: Record<string, string>;
  operator: boolean;
}): Promise<TestEnvironment> {
  const redis = await startRedis();
  const testConsole = await startTestConsole(redis.url, env);
  await untilReady(testConsole);
  const { ledger, readFolder, folder } = testConsole;
  const operator = hasOperator ? startTestOperator(ledger, [readFolder, folder]) : undefined;
  return {
    ...testConsole,
    redis,
    stop: async () => {
      await operator?.stop();
      await testConsole.stop();
      await redis.stop();
    },
  };
}
