import { redisScript } from "./redis-script.js";

/**
 * Deletes an index and its records, with their entries in other indexes. A record that can't be read is deleted too. One that has moved to
 * another index stays.
 *
 * Arguments: prefix, by what, by which id. Key: the index. Answer: the number of deleted records, or the key of a wrong type.
 */
export const CLEAR = /* @__PURE__ */ redisScript(`
local index, kind, id = KEYS[1], ARGV[2], ARGV[3]
if not is_index(index) then return { index } end
local count = 0
for _, member in ipairs(redis.call('ZRANGE', index, 0, -1)) do
  local record = describe(record_key(member)) or {}
  if record[kind] == id or not record.readable then count = count + remove(member, record) end
end
redis.call('DEL', index)
return count
`);
