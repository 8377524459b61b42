/**
 * Fills a database with many threads, and measures what lists, reports and deletions take beside an agent that works. Run it with
 * `npm run bench:size -- --checkpoints 4000000`.
 */
import { parseArgs } from "node:util";
import { z } from "zod";
import { PostgresDatabase } from "../../test-support/postgres-target.js";
import { RESET } from "../../test-support/test-database.js";
import type { OptionalIndex } from "../../src/migrations/index.js";
import { startBenchServer, startInstalledServer } from "../bench-server.js";
import { significant } from "../report/figures.js";
import { markdownTable } from "../report/markdown-table.js";
import { fillDatabase, measureSize, type SizedDatabase, type SizeOptions } from "./measure-size.js";

const USAGE = `npm run bench:size -- [--checkpoints <n>] [--index <name>]… [--only <text>] [--database <url>]

  --checkpoints  how many the database has (default 100000)
  --index        an optional index that it has, such as metadata-index
  --only         calls that have this text in their name, in whatever case
  --database     a database that is filled if it has no threads, and stays; without it, one of the server that DATABASE_URL
                 names, or else of an installed server with JIT, is made and dropped`;

const INDEXES = [
  "time-index",
  "metadata-index",
  "run-index",
  "waiting-index",
] as const satisfies OptionalIndex[];

const { values } = parseArgs({
  options: {
    checkpoints: { type: "string", default: "100000" },
    index: { type: "string", multiple: true, default: [] },
    only: { type: "string", default: "" },
    database: { type: "string" },
    help: { type: "boolean", short: "h", default: false },
  },
});
if (values.help) console.log(USAGE);
else await run();

async function run(): Promise<void> {
  const options: SizeOptions = {
    checkpoints: z.coerce.number().int().min(1_000).parse(values.checkpoints),
    indexes: z.array(z.enum(INDEXES)).parse(values.index),
    only: values.only.toLowerCase(),
  };
  if (values.database !== undefined) {
    // It is not dropped.
    const database = new PostgresDatabase(values.database, RESET, () => Promise.resolve());
    await measure(database, options);
    await database.drop();
    return;
  }
  const server =
    process.env.DATABASE_URL === undefined
      ? ((await startInstalledServer()) ?? (await startBenchServer()))
      : await startBenchServer();
  try {
    console.log(server.description);
    await measure(await server.emptyDatabase(), options);
  } finally {
    await server.stop();
  }
}

async function measure(database: SizedDatabase, options: SizeOptions): Promise<void> {
  await fillDatabase(database, options);
  const results = await measureSize(database, options, ({ name, ms }) => {
    console.error(`${name}: ${significant(ms)} ms`);
  });
  const rows = results.map(({ name, ms, rows, temporaryBytes, walBytes, longestPutMs }) => [
    ...[name, `${significant(ms)} ms`, String(rows)],
    ...[temporaryBytes, walBytes].map((bytes) => `${significant(bytes / 1e6)} MB`),
    `${significant(longestPutMs)} ms`,
  ]);
  const header = ["call", "time", "rows", "temporary files", "WAL", "longest `put` beside it"];
  const stored = await database.query(
    "select reltuples::float8 as count from pg_class where oid = 'checkpoints'::regclass",
  );
  console.log(`About ${String(stored[0]?.count)} checkpoints\n\n${markdownTable(header, rows)}`);
  const problems = results.find(({ name }) => name.startsWith("`verify`"))?.rows ?? 0;
  if (problems > 0) throw new Error(`verify found ${problems} problems in what was made`);
}
