/**
 * Generates `src/db/schema.generated.ts` from a freshly migrated PGlite. With `--verify` it only compares, and exits with code 1
 * if the file does not match the migrations.
 */
import { fileURLToPath } from "node:url";
import { generate, getDialect, Logger } from "kysely-codegen";
import { openDatabase } from "../src/db/open-database.js";
import { migrateToLatest } from "../src/migrations/migrate.js";

const OUT_FILE = fileURLToPath(new URL("../src/db/schema.generated.ts", import.meta.url));

async function run(verify: boolean): Promise<void> {
  const database = openDatabase("memory://");
  try {
    await migrateToLatest(database.kysely, {
      with: ["store", "vectors", "cache", "conversations", "checkpoint-store"],
      vectors: { dims: 3 },
    });
    await generate({
      db: database.kysely,
      dialect: getDialect("postgres"),
      logger: new Logger("error"),
      defaultSchemas: ["public"],
      includePattern: "public.*",
      customImports: { StoredCheckpoint: "./stored-json.js" },
      overrides: {
        columns: {
          "checkpoints.checkpoint": "JSONColumnType<StoredCheckpoint, string, string>",
          "cache_entries.value": "Uint8Array",
          "checkpoint_conversations.metadata": "JSONColumnType<JsonObject, string | undefined, string>",
          "checkpoint_store.metadata": "ColumnType<JsonObject | null, string | null, string | null>",
          "checkpoint_store.state": "ColumnType<JsonValue, string, string>",
          "store.value": "JSONColumnType<JsonObject, string, string>",
          "store_vectors.embedding": "string | null",
          "store_vectors.text_hash": "Uint8Array | null",
          "checkpoint_blobs.blob": "Uint8Array | null",
          "checkpoint_writes.blob": "Uint8Array",
          "checkpoints.metadata": "JSONColumnType<JsonObject, string | undefined, string>",
        },
      },
      outFile: OUT_FILE,
      typeOnlyImports: true,
      verify,
    });
  } finally {
    await database.close();
  }
}

const verify = process.argv.includes("--verify");
try {
  await run(verify);
  console.log(verify ? "src/db/schema.generated.ts is up to date" : "wrote src/db/schema.generated.ts");
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  if (verify) console.error("run `npm run codegen` and commit the result");
  process.exitCode = 1;
}
