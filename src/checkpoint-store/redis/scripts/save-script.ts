import { redisScript } from "./redis-script.js";

/**
 * Stores a record, moves it between indexes, and deletes the oldest of its execution or thread. It writes the record first: where the server
 * is read-only or has no memory left, it refuses that, and nothing has changed.
 *
 * Arguments: prefix, id, record, version, execution and thread (`""`: none), milliseconds to live (`""`: for ever), `1` to refuse a version
 * that is not newer, and by what, by which id and how many to keep (`""`: all). Keys: the record, then its indexes.
 * Answer: `nil`, the stored version where that is not older, or the key of a wrong type.
 */
export const SAVE = /* @__PURE__ */ redisScript(`
local id, text, version = ARGV[2], ARGV[3], tonumber(ARGV[4])
local new = { execution = ARGV[5], thread = ARGV[6] }
local ttl, only_newer = tonumber(ARGV[7]), ARGV[8] == '1'
local keep_kind, keep_id, keep_count = ARGV[9], ARGV[10], tonumber(ARGV[11])
local key = KEYS[1]

for i = 2, #KEYS do
  if not is_index(KEYS[i]) then return { KEYS[i] } end
end
local old = describe(key)
if only_newer and old and old.version and version <= old.version and redis.call('GET', key) ~= text then
  return old.version
end

if ttl then redis.call('SET', key, text, 'PX', ttl) else redis.call('SET', key, text) end

for _, kind in ipairs({ 'execution', 'thread' }) do
  if old and old[kind] ~= new[kind] then unlist(id, { [kind] = old[kind] }) end
  if new[kind] ~= '' then
    local index = index_key(kind, new[kind])
    local rest = ttl and redis.call('PTTL', index)
    redis.call('ZADD', index, version, id)
    if not ttl then
      redis.call('PERSIST', index)
    elseif rest == -2 or (rest >= 0 and rest < ttl) then
      redis.call('PEXPIRE', index, ttl)
    end
  end
end

local kept = keep_count and index_key(keep_kind, keep_id)
if kept and redis.call('ZCARD', kept) > keep_count then
  local records = members(kept, keep_kind, keep_id)
  for i = 1, #records - keep_count do
    if records[i].id ~= id then remove(records[i].id, records[i]) end
  end
end
return nil
`);
