import { afterAll } from "@jest/globals";
import type { SerializerProtocol } from "@langchain/langgraph-checkpoint";
import { PostgresSaver } from "../../src/index.js";
import { AesGcmSerializer, JsonSerializer, MsgpackSerializer } from "../../src/serde/index.js";
import { OFFICIAL_MIGRATIONS } from "../../test-support/official-migrations.js";
import { describeAnyTarget, type TestDatabase } from "../../test-support/targets.js";

/** A database with one of the layouts, and a saver on it. */
export interface AuditedDatabase {
  readonly database: TestDatabase;
  readonly saver: PostgresSaver;
}

interface Layout {
  readonly name: string;
  /** Whether the official savers made the tables, whose text columns have the default collation. */
  readonly official: boolean;
  readonly serde: () => SerializerProtocol | undefined;
}

const KEY = { id: "a", key: Buffer.alloc(32, 1) };

const LAYOUTS: readonly Layout[] = [
  { name: "msgpack", official: false, serde: () => undefined },
  { name: "JSON", official: false, serde: () => new JsonSerializer() },
  {
    name: "encrypted",
    official: false,
    // Bound to the place of each value, so that reading or writing a value for another place fails.
    serde: () => new AesGcmSerializer(new MsgpackSerializer(), { keys: [KEY], strict: true }),
  },
  { name: "JSON in tables of the official saver", official: true, serde: () => new JsonSerializer() },
];

/** Runs a suite for each target and each layout. */
export function describeEachLayout(name: string, body: (open: () => Promise<AuditedDatabase>) => void): void {
  for (const { name: layout, official, serde } of LAYOUTS) {
    describeAnyTarget(`${name}, ${layout}`, (target) => {
      const opened: PostgresSaver[] = [];
      body(async () => {
        const database = await (official ? target.createDatabase() : target.migratedDatabase());
        const saver = new PostgresSaver(database.source, serde(), { retry: false });
        opened.push(saver);
        if (official) {
          for (const migration of OFFICIAL_MIGRATIONS) {
            await database.exec(migration.replaceAll(" CONCURRENTLY", ""));
          }
          await saver.setup();
        }
        return { database, saver };
      });
      afterAll(() => Promise.all(opened.map((saver) => saver.end())));
    });
  }
}
