import { randomBytes } from "node:crypto";
import { expect, it } from "@jest/globals";
import { openDatabase } from "../../src/db/index.js";
import { MigrationRequiredError } from "../../src/index.js";
import { checkpointStoreSet } from "../../src/migrations/checkpoint-store-set.js";
import { migrationStatus } from "../../src/migrations/index.js";
import { migrateSets } from "../../src/migrations/migrate.js";
import { describeServer, type TestDatabase } from "../../test-support/targets.js";
import { cliOn } from "../cli/cli.js";

const STEP = "checkpoint-store-0001-create-checkpoint-store";
const CALLERS = 20;

describeServer("the tables of a checkpoint store", (target) => {
  it("are created once by twenty callers at once on an empty database", async () => {
    const database = await target.createDatabase();
    const callers = Array.from({ length: CALLERS }, () => openDatabase(database.source));
    try {
      const applied = await Promise.all(
        callers.map(({ kysely }) => migrateSets(kysely, [checkpointStoreSet()], { schema: "mine" })),
      );
      expect(applied.flat()).toEqual([STEP]);
    } finally {
      await Promise.all(callers.map((caller) => caller.close()));
    }
  });

  // Roles belong to the server, which other suites use too.
  const suffix = randomBytes(4).toString("hex");
  const [writer, reader] = [`writer_${suffix}`, `reader_${suffix}`];

  it.each(["checkpoint_store", "go's runs"])(
    "are created by the command that the error for a role without privileges names, and used with the printed grants: %s",
    async (table) => {
      const database = await target.createDatabase();
      const run = cliOn(database);
      await database.exec(
        `create role ${writer} login password 'x'; create role ${reader} login password 'x'`,
      );
      const writing = openDatabase(urlOf(database, writer));
      const reading = openDatabase(urlOf(database, reader));
      const sets = [checkpointStoreSet({ table })];
      try {
        const refused: unknown = await migrateSets(writing.kysely, sets).catch((error: unknown) => error);
        expect(refused).toBeInstanceOf(MigrationRequiredError);
        expect(refused).toMatchObject({ pending: [STEP] });
        const [, command = ""] =
          /`npx langgraph-checkpoint-kysely (.*?)` as a role/.exec(String(refused)) ?? [];
        const isDefault = table === "checkpoint_store";
        expect(command).toBe(
          `migrate --schema public --with checkpoint-store${isDefault ? "" : " --checkpoint-table 'go'\\''s runs'"}`,
        );
        const named = isDefault ? [] : ["--checkpoint-table", table];
        const argv = ["migrate", "--with", "checkpoint-store", ...named];
        expect(await run(...argv)).toMatchObject({ code: 0 });
        const roles = ["--read-write", writer, "--read-only", reader];
        await database.exec((await run(...argv, "--print-grants", ...roles)).stdout);
        for (const { kysely } of [writing, reading]) {
          expect(await migrateSets(kysely, sets)).toEqual([]);
          expect(await migrationStatus(kysely)).toMatchObject({ pending: [] });
        }
        const granted = await database.query(
          `select relname as name, has_table_privilege($1, oid, 'insert, update, delete') as writes,
             has_table_privilege($2, oid, 'select') as reads, has_table_privilege($2, oid, 'insert') as inserts
           from pg_class where relkind = 'r' and starts_with(relname, $3) order by 1`,
          [writer, reader, table],
        );
        expect(granted).toEqual([
          { name: table, writes: true, reads: true, inserts: false },
          { name: `${table}_kysely_migration`, writes: false, reads: true, inserts: false },
        ]);
      } finally {
        await Promise.all([writing.close(), reading.close()]);
        await database.exec(`drop owned by ${writer}, ${reader}; drop role ${writer}, ${reader}`);
      }
    },
  );
});

function urlOf({ source }: TestDatabase<string>, role: string): string {
  const url = new URL(source);
  url.username = role;
  url.password = "x";
  return url.href;
}
