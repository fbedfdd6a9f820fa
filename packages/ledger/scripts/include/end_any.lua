-- @include end_session
-- @include end_missing
-- @include facts
-- @include remove_session
-- @include state
-- Ends a session given its due time in `live`. A provisional session is removed with reason `why`; any other session
-- changes to `state` with `reason`. A session without a record is removed from the account.
local function end_any(base, id, due, now, state, reason, why)
  local s = redis.call('HMGET', base .. 's:' .. id, 'st', 'd')
  if not s[2] then
    end_missing(base, id)
  elseif state_by_due(s[1], due, read_facts(s[2]).expires) == 'provisional' then
    remove_session(base, id, why)
  else
    end_session(base, id, state, now, 0, 0, reason)
  end
end
