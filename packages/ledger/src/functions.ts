import { ErrorReply } from 'redis';
import { LedgerUnavailable } from './redis/link.ts';
import type { RedisLink, RedisNode } from './redis/link.ts';
import { loadScript } from './scripts.ts';

/**
 * Version of the arguments, results and keys of the functions. Increase it for a change that workers of the previous
 * version cannot use. Libraries of several versions can be loaded at the same time.
 */
const VERSION = 1;

/** Name of the library in Redis. */
export const LIBRARY = `svc_asr_${VERSION}`;

/** The scripts that workers call. */
const SCRIPTS = ['worker_register', 'worker_renew', 'worker_drain', 'worker_remove'] as const;

/** Thrown if Redis does not have the library with the functions of the ledger. The operator loads this library. */
export class FunctionsMissing extends LedgerUnavailable {
  constructor(options: { cause: unknown }) {
    super(
      `Redis does not have the library ${LIBRARY}. The operator loads it: check that an operator of this version ` +
        `runs, and that its Redis user may call FUNCTION LOAD and FUNCTION LIST`,
      options,
    );
  }
}

/**
 * Returns a link that calls the Redis function of a script instead of sending the script. Only the scripts of SCRIPTS
 * have a function.
 */
export function withFunctions(link: RedisLink): RedisLink {
  return {
    get ready() {
      return link.ready;
    },
    run: async ({ name }, key, args) => {
      try {
        return await link.send(key, ['FCALL', `${LIBRARY}_${name}`, '1', key, ...args.map(String)]);
      } catch (error) {
        if (!(error instanceof ErrorReply) || !error.message.startsWith('ERR Function not found')) throw error;
        throw new FunctionsMissing({ cause: error });
      }
    },
    send: link.send,
    nodes: link.nodes,
    close: link.close,
  };
}

/**
 * Loads the functions into each master that does not have them, or has them with different code. Returns the number of
 * masters that were changed. Redis itself copies the library to replicas and to the append-only file.
 */
export async function loadFunctions(masters: readonly RedisNode[]): Promise<number> {
  const code = buildLibrary();
  const changes = masters.map(async (master) => {
    const reply = await master.send(['FUNCTION', 'LIST', 'LIBRARYNAME', LIBRARY, 'WITHCODE']);
    if ((reply as unknown[][]).some((library) => library.includes(code))) return 0;
    await master.send(['FUNCTION', 'LOAD', 'REPLACE', code]);
    return 1;
  });
  return (await Promise.all(changes)).reduce<number>((sum, change) => sum + change, 0);
}

/** Builds the Lua library with one Redis function per script. It always uses the defaults of ScriptConstants. */
export function buildLibrary(): string {
  return [`#!lua name=${LIBRARY}\n`, ...SCRIPTS.map(buildFunction)].join('');
}

function buildFunction(script: (typeof SCRIPTS)[number]): string {
  const [shebang = '', ...body] = loadScript(script).source.trimEnd().split('\n');
  const flags = (/flags=(\S+)/.exec(shebang)?.[1] ?? '').split(',').map((flag) => (flag === '' ? '' : `'${flag}'`));
  return [
    'redis.register_function{',
    `  function_name = '${LIBRARY}_${script}',`,
    `  flags = { ${flags.join(', ')} },`,
    '  callback = function(KEYS, ARGV)',
    ...body,
    '  end',
    '}',
    '',
  ].join('\n');
}
