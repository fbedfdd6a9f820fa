import { startRedis } from '../../../test/support/redis.ts';
import { startTestConsole, untilReady } from './console.ts';
import type { TestConsole } from './console.ts';
import { startTestOperator } from './operator.ts';

/**
 * A test console with its own Redis. `stop` stops the console, Redis and the substitute for the operator if one was
 * started.
 */
export interface TestEnvironment extends TestConsole {
  readonly redis: Awaited<ReturnType<typeof startRedis>>;
}

/**
 * Starts Redis and a console that is connected to it. If `operator` is true, also starts a substitute for the operator.
 */
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
