#!lua flags=allow-oom
-- Puts a stream on the worker with the most free slots, or into the line. Asked again it gives the same worker, unless
-- that one is to be avoided: then the stream moves, and does not wait behind those that have not begun.
-- KEYS  1 pool
-- ARGV  1 session  2 tenant  3 workers to avoid, as ' a b '
-- returns { worker, address } | {}
-- @include now_ms
-- @include workers
-- @include line
local now = now_ms()
local base = string.sub(KEYS[1], 1, -2)
local session, tenant, avoid = ARGV[1], ARGV[2], ARGV[3]
local function avoided(id) return string.find(avoid, ' ' .. id .. ' ', 1, true) end
drop_dead(base, now)

local current = redis.call('HGET', base .. 'a', session)
local moving = avoid ~= '  ' and avoid ~= ''
if current then
  local w = redis.call('HMGET', base .. 'w:' .. current, 'address', 'draining')
  if w[1] and not avoided(current) then return { current, w[1] } end
  free_slot(base, session)
end

local first = not moving and first_in_line(base, now)
if not first or first == session then
  -- One more than are avoided is enough to find one that is not.
  local _, spaces = string.gsub(avoid, '%S+', '')
  local free = redis.call('ZREVRANGE', base .. 'free', 0, spaces, 'WITHSCORES')
  for i = 1, #free, 2 do
    local id = free[i]
    if tonumber(free[i + 1]) >= 1 and not avoided(id) then
      redis.call('HSET', base .. 'a', session, id)
      redis.call('ZINCRBY', base .. 'free', -1, id)
      redis.call('HINCRBY', base .. 'w:' .. id, 'active', 1)
      redis.call('ZREM', base .. 'h', session)
      take_turn(base, session, tenant)
      return { id, redis.call('HGET', base .. 'w:' .. id, 'address') }
    end
  end
end
join_line(base, session, tenant, now)
redis.call('ZADD', base .. 'qs', now, session)
redis.call('ZREM', base .. 'h', session)
return {}
