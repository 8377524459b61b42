import { sql } from "kysely";
import type { Parameter } from "../../db/statements/statement.js";
import type { BackupRow } from "./backup-row.js";

/** Items of a backup, as arrays of their columns. */
export interface RestoredItems {
  readonly prefixes: readonly string[];
  readonly keys: readonly string[];
  readonly values: readonly string[];
  readonly created: readonly (string | null)[];
  readonly updated: readonly (string | null)[];
  readonly expires: readonly (string | null)[];
  readonly ttls: readonly (string | null)[];
  readonly versions: readonly string[];
}

/** The parameters of the statements that restore items. */
export function restoredItems(rows: readonly BackupRow[]): RestoredItems {
  return {
    prefixes: rows.map(({ prefix }) => prefix),
    keys: rows.map(({ key }) => key),
    values: rows.map(({ value }) => value),
    created: rows.map(({ created_at }) => created_at),
    updated: rows.map(({ updated_at }) => updated_at),
    expires: rows.map(({ expires_at }) => expires_at),
    // As text: an array of integers is sent as such.
    ttls: rows.map(({ ttl_minutes }) => (ttl_minutes === null ? null : String(ttl_minutes))),
    versions: rows.map(({ version }) => String(version)),
  };
}

/** The items of the parameters as rows with the columns of `store`. */
export function givenItems(parameter: Parameter<RestoredItems>) {
  return sql<GivenRow>`(
    select prefix, key, value::jsonb, created_at::timestamptz, updated_at::timestamptz, expires_at::timestamptz,
      ttl_minutes::float8, version::bigint
    from unnest(
      ${parameter("prefixes")}::text[], ${parameter("keys")}::text[], ${parameter("values")}::text[],
      ${parameter("created")}::text[], ${parameter("updated")}::text[], ${parameter("expires")}::text[],
      ${parameter("ttls")}::text[], ${parameter("versions")}::text[]
    ) as unnested(prefix, key, value, created_at, updated_at, expires_at, ttl_minutes, version)
  )`.as<"given">(sql`given(prefix, key, value, created_at, updated_at, expires_at, ttl_minutes, version)`);
}

interface GivenRow {
  readonly prefix: string;
  readonly key: string;
  readonly value: string;
  readonly created_at: Date | null;
  readonly updated_at: Date | null;
  readonly expires_at: Date | null;
  readonly ttl_minutes: number | null;
  readonly version: string;
}
