import { describe, expect, it } from "@jest/globals";
import {
  planDistributing,
  planUndistributing,
  refuseMissing,
  textsOf,
  withMissingTables,
} from "./distribution-plan.js";
import type { DistributionStatus, TableDistribution } from "./distribution-state.js";

const TABLES_OF_THREADS = ["checkpoint_tombstones", "checkpoints", "checkpoint_writes", "checkpoint_blobs"];
const ALL = [...TABLES_OF_THREADS, "checkpoint_migrations"];

type Where = Omit<TableDistribution, "table">;

const LOCAL: Where = { placement: "local", column: null, colocation: null, shards: 0, collation: "C" };
const ON_NODES: Where = {
  placement: "distributed",
  column: "thread_id",
  ...{ colocation: 7, shards: 6, collation: "C" },
};
const ON_EACH: Where = { placement: "reference", column: null, colocation: 3, shards: 1, collation: null };

/** The status of a cluster whose tables are `where`, except for some. */
function statusOf(
  where: Where,
  others: Readonly<Record<string, Where | undefined>> = {},
  cluster: Partial<DistributionStatus> = {},
): DistributionStatus {
  const places = { ...Object.fromEntries(ALL.map((table) => [table, where])), ...others };
  const tables = Object.entries(places).flatMap(([table, place]) =>
    place === undefined ? [] : [{ table, ...place }],
  );
  return { schema: "agents", citus: "13.0-1", isCoordinator: true, tables, ...cluster };
}

const lock = (...tables: string[]) =>
  `lock table ${tables.map((table) => `"agents"."${table}"`).join(", ")} in access exclusive mode`;
const spread = (table: string, how: string) =>
  `select create_distributed_table('"agents"."${table}"', 'thread_id', colocate_with => ${how})`;
const together = (table: string, other: string) => spread(table, `'"agents"."${other}"'`);
const truncate = (table: string) =>
  `select truncate_local_data_after_distributing_table('"agents"."${table}"')`;
const COPY = `select create_reference_table('"agents"."checkpoint_migrations"')`;
const first = "checkpoint_tombstones";

describe("a plan to distribute tables", () => {
  it.each<[what: string, status: DistributionStatus, shards: number | undefined, plan: string[]]>([
    [
      "all of them",
      statusOf(LOCAL),
      undefined,
      [
        lock(...ALL),
        spread(first, "'none'"),
        ...["checkpoints", "checkpoint_writes", "checkpoint_blobs"].map((table) => together(table, first)),
        COPY,
        ...ALL.map(truncate),
      ],
    ],
    [
      "in a number of shards, where there is no table of the official savers",
      statusOf(LOCAL, {
        checkpoint_migrations: undefined,
        checkpoint_writes: undefined,
        checkpoint_blobs: undefined,
      }),
      64,
      [
        lock(first, "checkpoints"),
        spread(first, "'none', shard_count => 64"),
        together("checkpoints", first),
        truncate(first),
        truncate("checkpoints"),
      ],
    ],
    [
      "those that are not distributed, beside those that are",
      statusOf(ON_NODES, { [first]: LOCAL, checkpoint_migrations: ON_EACH }),
      6,
      [lock(first), together(first, "checkpoints"), truncate(first)],
    ],
    ["none, where all are", statusOf(ON_NODES, { checkpoint_migrations: ON_EACH }), undefined, []],
    [
      "with the collation that the threads of checkpoints have",
      statusOf(
        { ...LOCAL, collation: "default" },
        { [first]: LOCAL, checkpoint_writes: ON_NODES, checkpoint_blobs: { ...LOCAL, collation: null } },
      ),
      undefined,
      [
        lock(first, "checkpoints", "checkpoint_blobs", "checkpoint_migrations"),
        `alter table "agents"."${first}" alter column thread_id type text collate "pg_catalog"."default"`,
        ...[first, "checkpoints", "checkpoint_blobs"].map((table) => together(table, "checkpoint_writes")),
        COPY,
        ...[first, "checkpoints", "checkpoint_blobs", "checkpoint_migrations"].map(truncate),
      ],
    ],
    ...([undefined, { ...ON_NODES, collation: null }] as const).map(
      (checkpoints): [string, DistributionStatus, undefined, string[]] => [
        `with their own collation, where checkpoints ${checkpoints === undefined ? "don't exist" : "have none"}`,
        statusOf(ON_NODES, { checkpoints, [first]: LOCAL, checkpoint_migrations: ON_EACH }),
        undefined,
        [
          lock(first),
          together(first, checkpoints === undefined ? "checkpoint_writes" : "checkpoints"),
          truncate(first),
        ],
      ],
    ),
  ])("moves %s", (_, status, shards, plan) => {
    const change = planDistributing(status, shards);
    expect(textsOf(change)).toEqual(plan);
    const local = ALL.filter(
      (name) => status.tables.find(({ table }) => table === name)?.placement === "local",
    );
    expect(change.tables).toEqual(local);
  });

  it("is undone table by table, without those that are local", () => {
    const status = statusOf(ON_NODES, { checkpoint_writes: LOCAL, checkpoint_migrations: ON_EACH });
    const tables = [first, "checkpoints", "checkpoint_blobs", "checkpoint_migrations"];
    const change = planUndistributing(status);
    expect(change.tables).toEqual(tables);
    expect(textsOf(change)).toEqual([
      lock(...tables),
      ...tables.map((table) => `select undistribute_table('"agents"."${table}"')`),
    ]);
    expect(planUndistributing(statusOf(LOCAL))).toEqual({ tables: [], statements: [] });
  });

  it("takes conversations along, and their trigger from the checkpoints until it is undone", () => {
    const table = "checkpoint_conversations";
    const at = '"agents"."checkpoints"';
    const local = statusOf(LOCAL, { [table]: LOCAL });
    expect(textsOf(planDistributing(local)).filter((text) => text.includes("conversation"))).toEqual([
      lock(...TABLES_OF_THREADS, table, "checkpoint_migrations"),
      `drop trigger if exists "checkpoint_conversation_touch" on ${at}`,
      together(table, first),
      truncate(table),
    ]);
    const later = statusOf(ON_NODES, { [table]: LOCAL, checkpoint_migrations: ON_EACH });
    expect(textsOf(planDistributing(later))).toEqual([lock(table), together(table, first), truncate(table)]);
    const undone = textsOf(planUndistributing(statusOf(ON_NODES, { [table]: ON_NODES })));
    expect(undone.at(-1)).toMatch(
      `create or replace trigger "checkpoint_conversation_touch" after insert on ${at}`,
    );
    expect(textsOf(planUndistributing(statusOf(LOCAL, { [table]: ON_NODES })))).toHaveLength(2);
  });

  const NO_CITUS = "this database does not have the extension `citus`";
  it.each<[what: string, status: DistributionStatus, message: string]>([
    ["no Citus", statusOf(LOCAL, {}, { citus: null }), NO_CITUS],
    ["an old Citus", statusOf(LOCAL, {}, { citus: "11.3-1" }), "has Citus 11.3-1, but the savers need 12"],
    ["a worker", statusOf(LOCAL, {}, { isCoordinator: false }), "this server is a worker"],
    [
      "a schema on one node",
      statusOf(LOCAL, { checkpoints: { ...LOCAL, placement: "schema" } }),
      'the whole schema "agents" on one node',
    ],
  ])("is refused, and so is its reverse, for %s", (_, status, message) => {
    expect(() => planDistributing(status)).toThrow(message);
    expect(() => planUndistributing(status)).toThrow(message);
  });

  it("needs Citus 12 or later", () => {
    expect(planDistributing(statusOf(LOCAL, {}, { citus: "12.0-1" })).tables).toEqual(ALL);
  });

  it.each<[what: string, others: Readonly<Record<string, Where>>]>([
    ["by another column", { checkpoint_writes: { ...ON_NODES, column: "task_id" }, checkpoint_blobs: LOCAL }],
    ["apart from the others", { checkpoint_writes: { ...ON_NODES, colocation: 8 }, [first]: LOCAL }],
  ])("is refused where a table is distributed %s", (_, others) => {
    expect(() => planDistributing(statusOf(ON_NODES, { ...others, checkpoint_migrations: ON_EACH }))).toThrow(
      'in schema "agents" Citus distributes checkpoint_writes in another way than all tables together by thread_id',
    );
  });

  it("is refused with another number of shards than the tables have", () => {
    expect(() => planDistributing(statusOf(ON_NODES), 12)).toThrow(
      "the tables have 6 shards: change that by `select alter_distributed_table('agents.checkpoint_tombstones', shard_count => 12, ",
    );
  });

  it("can be made for tables that a migration will create, and not be carried out before", () => {
    const some = statusOf(LOCAL, { checkpoint_writes: undefined, checkpoint_migrations: undefined });
    expect(withMissingTables(some).tables).toEqual([
      ...some.tables,
      { table: "checkpoint_writes", ...LOCAL, collation: null },
      { table: "checkpoint_migrations", ...LOCAL, collation: null },
    ]);
    expect(() => {
      refuseMissing(some);
    }).toThrow('schema "agents" lacks checkpoint_writes: run `');
    refuseMissing(statusOf(LOCAL, { checkpoint_migrations: undefined }));
  });
});
