import { createHash } from "node:crypto";

/** A Lua script, and the digest by which a server that has run it before knows it. */
export interface RedisScript {
  readonly text: string;
  readonly sha1: string;
}

/**
 * Creates a script from what all scripts share and its own part. A script is atomic: no other command of any client runs meanwhile. It
 * begins with everything that may fail, because Redis does not undo what a failed script has written.
 *
 * Each script has the prefix of the keys as its first argument. It answers with a list of one key where that key is not an index as this
 * library and today's langgraphgo write it.
 */
function redisScript(body: string): RedisScript {
  const text = SHARED + body;
  return { text, sha1: createHash("sha1").update(text).digest("hex") };
}

/**
 * - `describe(key)` tells what a record is listed and sorted by: `nil` where there is none, an empty table where it can't be read. It
 *   reads only the end of the record, from `metadata` on, because a state may be long, or nested deeper than `cjson` reads. That text is
 *   JSON only where it begins at the outermost level.
 * - `members(index, kind, id)` returns the records of an index in the order of lists, and the ids of the members that are no such records.
 *   ZRANGE returns the members by version and by the bytes of their ids, so their rank decides between equal times.
 * - `remove(id, record)` deletes a record and its entries.
 */
const SHARED = `
local prefix = ARGV[1]
local TAIL = 512

local function record_key(id) return prefix .. 'checkpoint:' .. id end
local function index_key(kind, id) return prefix .. kind .. ':' .. id .. ':checkpoints' end

local function is_index(key)
  local kind = redis.call('TYPE', key).ok
  return kind == 'zset' or kind == 'none'
end

local function decoded(text)
  local ok, value = pcall(cjson.decode, text)
  return ok and type(value) == 'table' and value or nil
end

local function tail_of(text)
  local starts = {}
  local at = string.find(text, ',"metadata":', 1, true)
  while at do
    starts[#starts + 1] = at
    at = string.find(text, ',"metadata":', at + 1, true)
  end
  for i = #starts, math.max(1, #starts - 7), -1 do
    local tail = decoded('{' .. string.sub(text, starts[i] + 1))
    if tail then return tail end
  end
end

local function time_of(text)
  local y, mo, d, h, mi, s, fraction, zone =
    string.match(text, '^(%d%d%d%d)-(%d%d)-(%d%d)[Tt](%d%d):(%d%d):(%d%d)%.?(%d*)([Zz+-].*)$')
  if not y then return nil end
  local sign, zh, zm = string.match(zone, '^([+-])(%d%d):(%d%d)$')
  if not sign and zone ~= 'Z' and zone ~= 'z' then return nil end
  local offset = sign and (zh * 3600 + zm * 60) * (sign == '-' and -1 or 1) or 0
  local month = tonumber(mo)
  local year = month <= 2 and y - 1 or tonumber(y)
  local leap_days = math.floor(year / 4) - math.floor(year / 100) + math.floor(year / 400)
  local day_of_year = math.floor((153 * (month + (month > 2 and -3 or 9)) + 2) / 5) + d
  local days = year * 365 + leap_days + day_of_year
  return days * 86400 + h * 3600 + mi * 60 + s - offset, tonumber(string.sub(fraction .. '000000000', 1, 9))
end

local function text_or_empty(value) return type(value) == 'string' and value or '' end

local function described(tail)
  local metadata = type(tail.metadata) == 'table' and tail.metadata or {}
  local record = {
    readable = true,
    execution = text_or_empty(metadata.execution_id),
    thread = text_or_empty(metadata.thread_id),
    version = tonumber(tail.version),
  }
  if type(tail.timestamp) == 'string' then record.seconds, record.nanos = time_of(tail.timestamp) end
  return record
end

local function describe(key)
  local text = redis.call('GETRANGE', key, -TAIL, -1)
  if text == '' then return nil end
  local tail = tail_of(text)
  if not tail then
    text = redis.call('GET', key)
    tail = tail_of(text) or decoded(text)
  end
  return tail and described(tail) or {}
end

local function before(one, other)
  if one.seconds ~= other.seconds then return one.seconds < other.seconds end
  if one.nanos ~= other.nanos then return one.nanos < other.nanos end
  if one.version ~= other.version then return one.version < other.version end
  return one.rank < other.rank
end

local function members(index, kind, id)
  local records, others = {}, {}
  for rank, member in ipairs(redis.call('ZRANGE', index, 0, -1)) do
    local record = describe(record_key(member))
    if record and record.seconds and record.version and record[kind] == id then
      record.id, record.rank = member, rank
      records[#records + 1] = record
    else
      others[#others + 1] = member
    end
  end
  table.sort(records, before)
  return records, others
end

-- An index of the first version of langgraphgo is a set: that can't fail the script when it has written already.
local function unlist(id, record)
  for _, kind in ipairs({ 'execution', 'thread' }) do
    if record[kind] and record[kind] ~= '' then redis.pcall('ZREM', index_key(kind, record[kind]), id) end
  end
end

local function remove(id, record)
  unlist(id, record)
  return redis.call('DEL', record_key(id))
end
`;

/**
 * Writes nothing, by a command that the server refuses where it would refuse a save: on a replica, without memory, without a working disk, and
 * to a user without the right.
 *
 * Arguments: prefix. Key: that of a record without an id, which nobody can save.
 */
export const CHECK = redisScript(`
if redis.call('TYPE', KEYS[1]).ok == 'none' then redis.call('SET', KEYS[1], '', 'XX') end
return 0
`);

/**
 * Stores records, moves them between indexes, and deletes the oldest of executions and threads. It writes a record first: where the server is
 * read-only or has no memory left, it refuses that, and nothing has changed.
 *
 * Arguments: prefix, milliseconds to live (`""`: for ever), `1` to refuse a version that is not newer, how many to keep, and the number of
 * records; then for each record id, text, version, execution and thread (`""`: none); then for each deletion of old ones by what, by which id,
 * and the record that it leaves. Keys: the records, then their indexes.
 * Answer: `nil`; the place of a record and the stored version, where that is not older; or the key of a wrong type.
 */
export const SAVE = redisScript(`
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

/** The most records that one command reads. */
export const PORTION = 100;

/**
 * Reads an index and its first records, in one round trip for most lists.
 *
 * Arguments: prefix, by what, by which id, the largest number of records (`""`: all), `asc` or `desc`. Key: the index.
 * Answer: the ids, and the first records (`nil`: there is none); or the key of a wrong type. With a largest number these are the ids of the
 * first or last records in the order of lists, and of the members that are no readable records of the index.
 */
export const LIST = redisScript(`
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

/**
 * Deletes a record and its entries.
 *
 * Arguments: prefix, id. Key: the record. Answer: the number of deleted records.
 */
export const DELETE = redisScript(`
return remove(ARGV[2], describe(KEYS[1]) or {})
`);

/**
 * Deletes an index and its records, with their entries in other indexes. A record that can't be read is deleted too. One that has moved to
 * another index stays.
 *
 * Arguments: prefix, by what, by which id. Key: the index. Answer: the number of deleted records, or the key of a wrong type.
 */
export const CLEAR = redisScript(`
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

/**
 * Removes members of an index whose records have expired or belong to another index. It looks again: a record may have been saved anew.
 *
 * Arguments: prefix, by what, by which id, the members. Key: the index.
 */
export const SWEEP = redisScript(`
local index, kind, id = KEYS[1], ARGV[2], ARGV[3]
for i = 4, #ARGV do
  local record = describe(record_key(ARGV[i]))
  if not record or (record.readable and record[kind] ~= id) then redis.call('ZREM', index, ARGV[i]) end
end
return nil
`);
