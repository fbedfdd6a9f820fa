-- @include end_session
-- @include end_missing
-- @include session
-- @include remove_session
-- @include state
-- Ends the session `id`, which is due at `due` in the set `live`. A provisional session is removed with reason `why`.
-- Any other session changes to `state` with `reason` and `how`. For a session without a record, see end_missing.lua.
local function end_any(base, id, due, now, state, reason, how, why)
  local session = read_session(base, id)
  if not session then
    end_missing(base, id)
  elseif state_by_due(session, due) == 'provisional' then
    remove_session(base, id, why)
  else
    end_session(base, id, state, now, 0, 0, reason, how)
  end
end
