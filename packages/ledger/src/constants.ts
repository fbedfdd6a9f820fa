import { createHash } from 'node:crypto';
import type { RedisLink } from './redis/link.ts';
import type { Script } from './scripts.ts';

/** Values in the scripts, written there as `local NAME = default`, that a service may set. */
export interface ScriptConstants {
  /** How long a session that ended is known after recent_sessions has forgotten it. */
  SESSION_RETENTION_MS?: number;
  /** How long a day's usage is kept. */
  USAGE_RETENTION_DAYS?: number;
  /** Every so many entries of a journal there is a checkpoint with the totals. */
  CHECKPOINT_EVERY?: number;
  /** How many checkpoints back a journal reaches. */
  CHECKPOINTS_RETAINED?: number;
  /** How long a waiting stream that has not asked keeps its place in the line. */
  QUEUE_TTL_MS?: number;
}

/** The link with these constants in every script that it runs. */
export function withConstants(link: RedisLink, constants: ScriptConstants): RedisLink {
  const values = Object.entries(constants).filter((entry): entry is [string, number] => entry[1] !== undefined);
  if (values.length === 0) return link;
  const prepared = new Map<string, Script>();
  const prepare = (script: Script): Script => {
    const known = prepared.get(script.name);
    if (known !== undefined) return known;
    const source = values.reduce((text, [name, value]) => replaceConstant(text, name, value), script.source);
    const made = { name: script.name, source, sha1: createHash('sha1').update(source).digest('hex') };
    prepared.set(script.name, made);
    return made;
  };
  return {
    get ready() {
      return link.ready;
    },
    run: (script, key, args) => link.run(prepare(script), key, args),
    send: link.send,
    close: link.close,
  };
}

function replaceConstant(source: string, name: string, value: number): string {
  return source.replace(new RegExp(`^local ${name} = \\d+$`, 'gm'), `local ${name} = ${value}`);
}
