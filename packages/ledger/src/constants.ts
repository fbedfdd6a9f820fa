import { createHash } from 'node:crypto';
import type { RedisLink } from './redis/link.ts';
import type { Script } from './scripts.ts';

/** Constants of the scripts that a service may override. The scripts define each one as `local NAME = default`. */
export interface ScriptConstants {
  /** Time for which `recent_sessions` is kept after the last session of a tenant. */
  RECENT_RETENTION_MS?: number;
  /** Minimum number of days for which the usage of a day is kept. */
  USAGE_RETENTION_DAYS?: number;
  /**
   * Number of journal entries of a tenant that Redis keeps if no exporter is configured. There may be some more,
   * because entries are removed in groups.
   */
  JOURNAL_ENTRIES_RETAINED?: number;
  /** Limit that replaces JOURNAL_ENTRIES_RETAINED while an exporter acknowledges entries. */
  JOURNAL_BACKLOG_ENTRIES?: number;
  /** Time after which a queued stream leaves the queue if its gateway does not renew the stream. */
  QUEUE_TTL_MS?: number;
  /**
   * Longest time from the expiry of a credential to the end of its stream, without the duration of the reserved audio.
   */
  STREAM_EXTRA_MS?: number;
  /** Duration that a lease gets when it is restarted. Leases are restarted after LEASE_GAP_MS was exceeded. */
  LEASE_MS?: number;
  /** Longest time between two checks of the leases. If it is exceeded, leases are restarted (include/leases.lua). */
  LEASE_GAP_MS?: number;
}

/** Returns a link that runs every script with these constants. */
export function withConstants(link: RedisLink, constants: ScriptConstants): RedisLink {
  const values = Object.entries(constants).filter((entry): entry is [string, number] => entry[1] !== undefined);
  if (values.length === 0) return link;
  const prepared = preparedScripts(JSON.stringify(values));
  const prepare = (script: Script): Script => {
    const known = prepared.get(script.sha1);
    if (known !== undefined) return known;
    const source = values.reduce((text, [name, value]) => replaceConstant(text, name, value), script.source);
    const loaded = { name: script.name, source, sha1: createHash('sha1').update(source).digest('hex') };
    prepared.set(script.sha1, loaded);
    return loaded;
  };
  return {
    get ready() {
      return link.ready;
    },
    run: (script, key, args) => link.run(prepare(script), key, args),
    send: link.send,
    nodes: link.nodes,
    close: link.close,
  };
}

/**
 * Scripts with replaced constants. The outer key is the constants as text. The inner key is the hash of the original
 * script.
 */
const PREPARED = new Map<string, Map<string, Script>>();

function preparedScripts(values: string): Map<string, Script> {
  const scripts = PREPARED.get(values) ?? new Map<string, Script>();
  PREPARED.set(values, scripts);
  return scripts;
}

function replaceConstant(source: string, name: string, value: number): string {
  return source.replace(new RegExp(`^local ${name} = \\d+$`, 'gm'), `local ${name} = ${value}`);
}
