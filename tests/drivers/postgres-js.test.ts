import { expect, it } from "@jest/globals";
import { Kysely } from "kysely";
import { PostgresJSDialect } from "kysely-postgres-js";
import postgres, { type Sql } from "postgres";
import { PostgresCheckpointStore } from "../../src/checkpoint-store/index.js";
import type { LibraryDatabase } from "../../src/db/checkpoint-database.js";
import { PostgresSaver } from "../../src/index.js";
import { PostgresStore } from "../../src/store/index.js";
import { describeServer } from "../../test-support/targets.js";
import { describeEveryFeature, type OpenedSource } from "./every-feature.js";

describeServer("a Kysely on postgres.js", (target) => {
  const open = (url: string): OpenedSource => {
    const kysely = kyselyOn(postgres(url, { max: 4, onnotice: () => undefined }));
    return { source: kysely, close: () => kysely.destroy() };
  };
  // No passed-in Kysely can listen.
  describeEveryFeature(target, open, ["watch"]);
});

describeServer("a Kysely whose driver changes values", (target) => {
  const camel = { transform: postgres.camel };
  const letters = {
    types: { boolean: { to: 16, from: [16], serialize: String, parse: (text: string) => text } },
  };

  it.each([
    { what: "the names of columns", options: camel, column: "sent_text" },
    { what: "booleans", options: letters, column: "are_words" },
  ])("is refused before it stores anything: $what", async ({ options, column }) => {
    const database = await target.createDatabase();
    const kysely = kyselyOn(postgres(database.source, { ...options, onnotice: () => undefined }));
    for (const owner of [
      new PostgresSaver(kysely),
      new PostgresStore(kysely),
      new PostgresCheckpointStore(kysely),
    ]) {
      await expect(owner.setup()).rejects.toMatchObject({
        code: "INVALID_CONFIG",
        message: expect.stringContaining(`the column "${column}"`),
      });
    }
    expect(
      await database.query("select relname from pg_class where relnamespace = 'public'::regnamespace"),
    ).toEqual([]);
    await kysely.destroy();
  });
});

function kyselyOn(sql: Sql): Kysely<LibraryDatabase> {
  return new Kysely({ dialect: new PostgresJSDialect({ postgres: sql }) });
}
