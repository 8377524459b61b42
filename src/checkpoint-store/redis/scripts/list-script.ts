import { redisScript } from "./redis-script.js";

/** The most records that one command reads. */
export const PORTION = 100;

/**
 * Reads an index and its first records, in one round trip for most lists.
 *
 * Arguments: prefix, by what, by which id, the largest number of records (`""`: all), `asc` or `desc`. Key: the index.
 * Answer: the ids, and the first records (`nil`: there is none); or the key of a wrong type. With a largest number these are the ids of the
 * first or last records in the order of lists, and of the members that are no readable records of the index.
 */
export const LIST = /* @__PURE__ */ redisScript(`
local index, kind, id, limit, order = KEYS[1], ARGV[2], ARGV[3], tonumber(ARGV[4]), ARGV[5]
if not is_index(index) then return { index } end
local ids
if limit then
  local records, others = members(index, kind, id)
  ids = others
  for i = 1, math.min(limit, #records) do
    ids[#ids + 1] = records[order == 'desc' and #records + 1 - i or i].id
  end
else
  ids = redis.call('ZRANGE', index, 0, -1)
end
local keys = {}
for i = 1, math.min(${PORTION}, #ids) do keys[i] = record_key(ids[i]) end
return { ids, #keys > 0 and redis.call('MGET', unpack(keys)) or {} }
`);
