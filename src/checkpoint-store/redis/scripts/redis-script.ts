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
export function redisScript(body: string): RedisScript {
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
