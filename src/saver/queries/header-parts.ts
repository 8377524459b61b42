import { type Expression, type RawBuilder, sql, type SqlBool } from "kysely";

/** The entries of `channel_versions`. A damaged row whose versions are not an object has none. */
export function eachChannelVersion(versions: Expression<unknown>) {
  const entries = sql<{ channel: string; version: string }>`
    jsonb_each_text(case when jsonb_typeof(${versions}) = 'object' then ${versions} end)`;
  return entries.as<"entry">(sql`entry(channel, version)`);
}

/** The delta channels whose changes LangGraph counts in the metadata of a checkpoint. */
export function eachCountedChannel(metadata: Expression<unknown>) {
  const counters = sql`${metadata} -> 'counters_since_delta_snapshot'`;
  return sql<{ channel: string }>`jsonb_object_keys(
    case when jsonb_typeof(${counters}) = 'object' then ${counters} end
  )`.as<"counted">(sql`counted(channel)`);
}

/** Whether a header has these versions of channels, which are JSON text. */
export function hasVersions(
  checkpoint: Expression<unknown>,
  versions: Expression<unknown>,
): RawBuilder<SqlBool> {
  return sql<SqlBool>`coalesce(${checkpoint} -> 'channel_versions', '{}') @> ${versions}::jsonb`;
}

/** Whether a header contains the value of a channel. */
export function hasInline(checkpoint: Expression<unknown>, channel: Expression<string>): RawBuilder<SqlBool> {
  return sql<SqlBool>`coalesce(jsonb_exists(${checkpoint} -> 'channel_values', ${channel}), false)`;
}

/**
 * Whether a header takes the value of the channel `carried.name` from an earlier one: the same number, or a value that only the earlier
 * header holds, in the same version. Python writes a whole float as 3.0, and JavaScript reads and writes it as 3. JSONB compares the two as equal, and keeps
 * the spelling of each. A number beyond 2^53 is in the earlier header only if Python wrote it as a float.
 */
export function takesInline(header: Expression<unknown>, earlier: Expression<unknown>): RawBuilder<SqlBool> {
  const there = sql`${earlier} -> 'channel_values' -> carried.name`;
  const here = sql`${header} -> 'channel_values' -> carried.name`;
  const isSameVersion = sql`${earlier} -> 'channel_versions' -> carried.name = ${header} -> 'channel_versions' -> carried.name`;
  return sql<SqlBool>`case when ${here} is null then ${there} is not null and ${isSameVersion} else ${there} = ${here} end`;
}

/** The inline values of a header. A damaged row whose values are not an object has none. */
export function eachInline(header: Expression<unknown>) {
  const values = sql`${header} -> 'channel_values'`;
  const entries = sql<{ name: string; value: unknown }>`
    jsonb_each(case when jsonb_typeof(${values}) = 'object' then ${values} end)`;
  return entries.as<"carried">(sql`carried(name, value)`);
}

/** The header with the values taken from an earlier one, which are an object or NULL. */
export function withInline(header: Expression<unknown>, taken: Expression<unknown>): RawBuilder<string> {
  const values = sql`coalesce(${header} -> 'channel_values', '{}') || ${taken}`;
  return sql<string>`coalesce(jsonb_set(${header}, '{channel_values}', ${values}), ${header})`;
}

/**
 * Whether the row `stored` has a mark of `rowMarkOf`: the length of what it holds, or a digest of it. Postgres knows the length without
 * reading the bytes, and a digest is never as short.
 */
export function rowMarkIs(mark: string): RawBuilder<SqlBool> {
  const known = sql.ref<string>(mark);
  return sql<SqlBool>`(${known} = octet_length(stored.blob)::text or ${known} = encode(sha256(stored.blob), 'hex'))`;
}

/**
 * Whether a checkpoint's id is a UUID of version 6, which contains a time. `UUID6` is the same check in JavaScript. One regular expression
 * for all of it would take five times as long, since Postgres builds its automaton again for each id.
 */
export function isUuid6(checkpointId: Expression<string>): RawBuilder<boolean> {
  return sql<boolean>`(${checkpointId} like '________-____-6___-____-____________'
    and ${checkpointId} !~ '[^0-9a-f-]' and ${checkpointId} not like '%-%-%-%-%-%')`;
}

/**
 * Matches a version of the official JavaScript saver, and of this library in such threads: a number with a fraction
 * that makes it unique.
 */
const NUMBER = sql.lit("^[0-9]{1,31}([.][0-9]+)?$");
/** The fraction of a version that is a whole number. */
const NO_FRACTION = sql.lit("0".repeat(16));

/**
 * Converts a version that is a number to the text of Python's saver: 32 digits, and the fraction as a number of its
 * own. Versions stay different from each other, and compare as text like the numbers did. Other versions stay as they
 * are.
 */
export function textVersion(version: RawBuilder<string>): RawBuilder<string> {
  return sql<string>`case when ${version} ~ ${NUMBER}
    then lpad(split_part(${version}, '.', 1), 32, '0') || '.0.'
      || coalesce(nullif(split_part(${version}, '.', 2), ''), ${NO_FRACTION})
    else ${version} end`;
}

/** Converts the versions in a header to text: those of its channels, and those that nodes have seen. */
export function headerWithTextVersions(header: RawBuilder<unknown>): RawBuilder<string> {
  const [versions, seen] = [sql`${header} -> 'channel_versions'`, sql`${header} -> 'versions_seen'`];
  return sql<string>`${header}
    || ${ifObject(versions, sql`jsonb_build_object('channel_versions', ${textVersionsIn(versions)})`)}
    || ${ifObject(
      seen,
      sql`jsonb_build_object('versions_seen', (
        select coalesce(jsonb_object_agg(node.key, ${seenVersions(sql`node.value`)}), '{}') from jsonb_each(${seen}) node
      ))`,
    )}`;
}

function seenVersions(versions: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`case when jsonb_typeof(${versions}) = 'object' then ${textVersionsIn(versions)} else ${versions} end`;
}

/** Converts the versions by channel in an object. */
function textVersionsIn(versions: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`(
    select coalesce(jsonb_object_agg(entry.key, case when jsonb_typeof(entry.value) in ('number', 'string')
      then to_jsonb(${textVersion(sql<string>`(entry.value #>> '{}')`)}) else entry.value end), '{}')
    from jsonb_each(${versions}) entry
  )`;
}

function ifObject(json: RawBuilder<unknown>, then: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`case when jsonb_typeof(${json}) = 'object' then ${then} else '{}'::jsonb end`;
}
