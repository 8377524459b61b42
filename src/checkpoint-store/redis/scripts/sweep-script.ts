import { redisScript } from "./redis-script.js";

/**
 * Removes members of an index whose records have expired or belong to another index. It looks again: a record may have been saved anew.
 *
 * Arguments: prefix, by what, by which id, the members. Key: the index.
 */
export const SWEEP = /* @__PURE__ */ redisScript(`
local index, kind, id = KEYS[1], ARGV[2], ARGV[3]
for i = 4, #ARGV do
  local record = describe(record_key(ARGV[i]))
  if not record or (record.readable and record[kind] ~= id) then redis.call('ZREM', index, ARGV[i]) end
end
return nil
`);
