import { type RawBuilder, sql } from "kysely";

/**
 * Matches a version of the official JavaScript saver, and of this library in such threads: a number with a fraction
 * that makes it unique.
 */
const NUMBER = /* @__PURE__ */ sql.lit("^[0-9]{1,31}([.][0-9]+)?$");
/** The fraction of a version that is a whole number. */
const NO_FRACTION = /* @__PURE__ */ sql.lit("0".repeat(16));

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
