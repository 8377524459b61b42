import { redisScript } from "./redis-script.js";

/**
 * Stores records, moves them between indexes, and deletes the oldest of executions and threads. It writes a record first: where the server is
 * read-only or has no memory left, it refuses that, and nothing has changed.
 *
 * Arguments: prefix, milliseconds to live (`""`: for ever), `1` to refuse a version that is not newer, how many to keep, and the number of
 * records; then for each record id, text, version, execution and thread (`""`: none); then for each deletion of old ones by what, by which id,
 * and the record that it leaves. Keys: the records, then their indexes.
 * Answer: `nil`; the place of a record and the stored version, where that is not older; or the key of a wrong type.
 */
export const SAVE = /* @__PURE__ */ redisScript(`
local ttl, only_newer = tonumber(ARGV[2]), ARGV[3] == '1'
local keep_count, count = tonumber(ARGV[4]), tonumber(ARGV[5])
local FIRST, FIELDS = 6, 5

for i = count + 1, #KEYS do
  if not is_index(KEYS[i]) then return { KEYS[i] } end
end

local saved = {}
for i = 1, count do
  local at = FIRST + (i - 1) * FIELDS
  local record = { id = ARGV[at], text = ARGV[at + 1], version = tonumber(ARGV[at + 2]) }
  record.execution, record.thread = ARGV[at + 3], ARGV[at + 4]
  record.old = describe(KEYS[i])
  local stored = record.old and record.old.version
  if only_newer and stored and record.version <= stored and redis.call('GET', KEYS[i]) ~= record.text then
    return { i, stored }
  end
  saved[i] = record
end

for i, record in ipairs(saved) do
  if ttl then redis.call('SET', KEYS[i], record.text, 'PX', ttl) else redis.call('SET', KEYS[i], record.text) end
  local old = record.old
  for _, kind in ipairs({ 'execution', 'thread' }) do
    if old and old[kind] ~= record[kind] then unlist(record.id, { [kind] = old[kind] }) end
    if record[kind] ~= '' then
      local index = index_key(kind, record[kind])
      local rest = ttl and redis.call('PTTL', index)
      redis.call('ZADD', index, record.version, record.id)
      if not ttl then
        redis.call('PERSIST', index)
      elseif rest == -2 or (rest >= 0 and rest < ttl) then
        redis.call('PEXPIRE', index, ttl)
      end
    end
  end
end

for at = FIRST + count * FIELDS, #ARGV, 3 do
  local kind, id, left = ARGV[at], ARGV[at + 1], ARGV[at + 2]
  local index = index_key(kind, id)
  if redis.call('ZCARD', index) > keep_count then
    local records = members(index, kind, id)
    for i = 1, #records - keep_count do
      if records[i].id ~= left then remove(records[i].id, records[i]) end
    end
  end
end
return nil
`);
