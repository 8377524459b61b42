import { type RawBuilder, sql } from "kysely";
import { HiddenRowsError } from "../errors/index.js";
import type { CallContext } from "./call-context.js";
import { RememberedBySchema } from "./placement/placement.js";
import { relationsOf, type TableParams } from "./row-security.js";
import { runStatement } from "./statements/run-statement.js";
import { Statement } from "./statements/statement.js";

/** The tables whose rows refer to one another: headers to values, and writes to headers. */
const TABLES = ["checkpoints", "checkpoint_blobs", "checkpoint_writes"] as const;

/**
 * Refuses a call that relies on seeing all rows of a thread where row-level security may hide some of them and show others. A value whose header
 * is hidden looks like one that nothing references. Policies that hide whole threads or namespaces, as those of tenants do, are alike on
 * the three tables and go by their common columns.
 *
 * @throws HiddenRowsError where the policies for this role are not alike, or go by other columns.
 */
export async function refuseHiddenRows(call: CallContext): Promise<void> {
  const rows = await runStatement(call, policies, { schema: call.schema, tables: TABLES });
  const restricted = rows.filter(({ is_active }) => is_active);
  if (restricted.length === 0) return;
  const isAlike =
    new Set(rows.map(({ policies: each }) => each)).size === 1 && restricted.length === rows.length;
  if (isAlike && !rows.some(({ reads_other_columns }) => reads_other_columns)) return;
  throw new HiddenRowsError(
    call.schema,
    restricted.map(({ name }) => name),
  );
}

const PASSED = new RememberedBySchema<object>();

/** {@link refuseHiddenRows} for calls that come often. It asks once for each schema of a database. */
export async function refuseHiddenRowsOnce(call: CallContext): Promise<void> {
  if (PASSED.get(call) !== undefined) return;
  await refuseHiddenRows(call);
  PASSED.set(call, {});
}

interface PolicyRow {
  readonly name: string;
  readonly is_active: boolean;
  /** What decides which rows this role sees, as text that is equal for equal policies. */
  readonly policies: string | null;
  /** Whether a policy reads a column that not all of the tables have. */
  readonly reads_other_columns: boolean;
}

const policies = new Statement<TableParams, PolicyRow>((db, parameter) =>
  relationsOf(db, parameter)
    .select("relation.relname as name")
    .select([
      sql<boolean>`row_security_active(relation.oid)`.as("is_active"),
      ofPolicies<string | null>(
        sql`string_agg(definition, ';' order by definition)`,
        sql`(select concat_ws(',', policy.polpermissive,
          replace(pg_get_expr(policy.polqual, policy.polrelid), relation.relname || '.', '')) as definition) as each`,
      ).as("policies"),
      ofPolicies<boolean>(
        sql`count(*) > 0`,
        sql`pg_catalog.pg_depend as dependency
          join pg_catalog.pg_attribute as attribute
            on attribute.attrelid = dependency.refobjid and attribute.attnum = dependency.refobjsubid
          where dependency.classid = 'pg_catalog.pg_policy'::regclass and dependency.objid = policy.oid
            and dependency.refclassid = 'pg_catalog.pg_class'::regclass and dependency.refobjid = relation.oid
            and attribute.attname not in ('thread_id', 'checkpoint_ns')`,
      ).as("reads_other_columns"),
    ]),
);

/** Aggregates what belongs to each policy that decides which rows of `relation` this role sees. */
function ofPolicies<T>(aggregate: RawBuilder<unknown>, parts: RawBuilder<unknown>): RawBuilder<T> {
  return sql<T>`(
    select ${aggregate} from pg_catalog.pg_policy as policy cross join lateral (select * from ${parts}) as part
    where policy.polrelid = relation.oid and policy.polcmd in ('r', '*')
      and exists (select from unnest(policy.polroles) as member(oid)
        where member.oid = 0 or pg_has_role(member.oid, 'USAGE'))
  )`;
}
