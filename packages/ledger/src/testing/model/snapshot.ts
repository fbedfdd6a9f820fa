/**
 * Content of one key. A string is stored as it is. Hash and sorted set are flat lists of pairs, and list and set are
 * lists. A Redis stream is a list with one string for each entry.
 */
export type Content = string | readonly string[];

/** One key: its name, its type, its content, and the simulated time at which it expires, or 0. */
export type Entry = readonly [name: string, type: string, content: Content, expiresMs: number];

/** Key that has the simulated time. The scripts that the model runs read it instead of the clock of Redis. */
export const CLOCK_KEY = 'model:clock';

/**
 * Simulated time at which each exploration starts. It is so far in the future that Redis itself, whose own clock is
 * real, expires no key at a simulated time.
 */
export const START_MS = 4_000_000_000_000;

/**
 * Time that is later than every time of the clock of Redis and earlier than every simulated time. An expiry before this
 * time is a time of the clock of Redis. An expiry after it is a simulated time.
 */
const BETWEEN_CLOCKS_MS = 3_000_000_000_000;

/**
 * Returns all keys as JSON, sorted. An expiry that a script has set relative to the clock of Redis is converted to
 * simulated time. It is rounded to a second, because the clock of Redis does not stand still.
 */
export const DUMP = `
local function sorted_pairs(flat)
  local names, values, out = {}, {}, {}
  for i = 1, #flat, 2 do
    names[#names + 1] = flat[i]
    values[flat[i]] = flat[i + 1]
  end
  table.sort(names)
  for _, name in ipairs(names) do
    out[#out + 1] = name
    out[#out + 1] = values[name]
  end
  return out
end
local readers = {
  string = function(key) return redis.call('GET', key) end,
  hash = function(key) return sorted_pairs(redis.call('HGETALL', key)) end,
  list = function(key) return redis.call('LRANGE', key, 0, -1) end,
  set = function(key)
    local members = redis.call('SMEMBERS', key)
    table.sort(members)
    return members
  end,
  zset = function(key) return redis.call('ZRANGE', key, 0, -1, 'WITHSCORES') end,
  stream = function(key)
    local lines = {}
    for i, entry in ipairs(redis.call('XRANGE', key, '-', '+')) do lines[i] = entry[2][2] end
    return lines
  end,
}
local clock, time, out = tonumber(redis.call('GET', '${CLOCK_KEY}')), redis.call('TIME'), {}
local keys = redis.call('KEYS', '*')
table.sort(keys)
for i, key in ipairs(keys) do
  local kind = redis.call('TYPE', key).ok
  local expiry = redis.call('PEXPIRETIME', key)
  if expiry < 0 then expiry = 0 end
  if expiry > 0 and expiry < ${BETWEEN_CLOCKS_MS} then
    expiry = clock + 1000 * math.floor((expiry - time[1] * 1000 - time[2] / 1000) / 1000 + 0.5)
  end
  out[i] = { key, kind, readers[kind](key), string.format('%d', expiry) }
end
return cjson.encode(out)
`;

/** Replaces the content of Redis by ARGV 1, a result of DUMP. */
export const RESTORE = `
redis.call('FLUSHDB')
for _, entry in ipairs(cjson.decode(ARGV[1])) do
  local key, kind, content = entry[1], entry[2], entry[3]
  if kind == 'string' then redis.call('SET', key, content)
  elseif kind == 'hash' then redis.call('HSET', key, unpack(content))
  elseif kind == 'list' then redis.call('RPUSH', key, unpack(content))
  elseif kind == 'set' then redis.call('SADD', key, unpack(content))
  elseif kind == 'stream' then
    for i, line in ipairs(content) do redis.call('XADD', key, i .. '-1', 'e', line) end
  else
    for i = 1, #content, 2 do redis.call('ZADD', key, content[i + 1], content[i]) end
  end
  if entry[4] ~= 0 then redis.call('PEXPIREAT', key, string.format('%d', entry[4])) end
end
`;

/** Content of Redis at one moment, and the simulated time. */
export class Snapshot {
  readonly entries: readonly Entry[];
  readonly text: string;
  readonly nowMs: number;
  readonly #byName: ReadonlyMap<string, Entry>;

  constructor(entries: readonly Entry[]) {
    this.entries = entries;
    this.text = JSON.stringify(entries);
    this.#byName = new Map(entries.map((entry) => [entry[0], entry]));
    this.nowMs = Number(this.string(CLOCK_KEY));
  }

  /** Parses a reply of DUMP. */
  static parse(dump: string): Snapshot {
    const entries = JSON.parse(dump) as [string, string, Content, string][];
    return new Snapshot(entries.map(([name, type, content, expiry]) => [name, type, content, Number(expiry)]));
  }

  /** Returns the content of Redis after time has passed. Keys whose lifetime has ended are missing. */
  at(nowMs: number): Snapshot {
    const kept = this.entries.filter(([, , , expiresMs]) => expiresMs === 0 || expiresMs > nowMs);
    return new Snapshot(
      kept.map((entry) => (entry[0] === CLOCK_KEY ? [CLOCK_KEY, 'string', String(nowMs), 0] : entry)),
    );
  }

  has(name: string): boolean {
    return this.#byName.has(name);
  }

  string(name: string): string | undefined {
    const content = this.#byName.get(name)?.[2];
    return typeof content === 'string' ? content : undefined;
  }

  list(name: string): readonly string[] {
    const content = this.#byName.get(name)?.[2] ?? [];
    return typeof content === 'string' ? [content] : content;
  }

  /** Returns a hash or a sorted set. */
  map(name: string): ReadonlyMap<string, string> {
    const flat = this.list(name);
    return new Map(flat.flatMap((field, at) => (at % 2 === 0 ? [[field, flat[at + 1] ?? '']] : [])));
  }

  /** Finds the keys whose names start with `prefix`. Returns the part of each name after the prefix. */
  namesAfter(prefix: string): string[] {
    return this.entries.flatMap(([name]) => (name.startsWith(prefix) ? [name.slice(prefix.length)] : []));
  }
}
