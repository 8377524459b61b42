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
