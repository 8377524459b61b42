/**
 * Prints how large the sources are and how far a call goes through them, beside what is aimed at. `--names` lists names exported twice, and
 * `--hops` the functions that a put passes on its way to the socket.
 */
import { fileURLToPath } from "node:url";
import process from "node:process";
import { PostgresSaver } from "../../src/index.js";
import { traceCall } from "../../test-support/trace-call.js";
import { tracedCalls } from "../../test-support/traced-calls.js";
import { startBenchServer } from "../bench-server.js";
import { type Hop, hopsToSocket } from "./call-chain.js";
import { countSources } from "./count-sources.js";

/** The most that each figure should be. */
const TARGETS: Readonly<Record<string, number>> = {
  ...{ files: 1_250, "lines of code": 64_000, "names exported twice": 20 },
  ...{ "hops of put": 15, "files of put": 50, "files of getTuple": 45, "files of putWrites": 45 },
  ...{ "INSERTs of checkpoints": 3, "INSERTs of checkpoint_blobs": 3, "INSERTs of checkpoint_writes": 3 },
};

const SOURCES = fileURLToPath(new URL("../../src/", import.meta.url));
const counts = countSources(SOURCES);
const figures = new Map<string, number>([
  ["files", counts.files],
  ["lines of code", counts.lines],
  ["names exported twice", counts.namesExportedTwice.length],
  ...[...counts.inserts].map(([table, count]) => [`INSERTs of ${table}`, count] as const),
]);
let hops: readonly Hop[] = [];
const server = await startBenchServer();
try {
  const database = await server.emptyDatabase();
  await using saver = new PostgresSaver(database.source);
  await saver.setup();
  const calls = tracedCalls(saver, "traced");
  for (const [name, call] of Object.entries(calls))
    figures.set(`files of ${name}`, (await traceCall(call)).size);
  // The calls before have opened the connection and prepared the statement.
  hops = await hopsToSocket(calls.put, SOURCES);
  figures.set("hops of put", hops.length);
} finally {
  await server.stop();
}
console.table(
  Object.fromEntries([...figures].map(([name, today]) => [name, { today, target: TARGETS[name] ?? "" }])),
);
if (process.argv.includes("--names")) console.log(counts.namesExportedTwice.join("\n"));
if (process.argv.includes("--hops"))
  console.log(hops.map(({ file, name }) => `${file.slice(SOURCES.length)}: ${name}`).join("\n"));
