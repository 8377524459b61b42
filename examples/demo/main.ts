/**
 * Demonstrates what this library is for: an agent is killed in the middle of a super-step, continues in another process, waits for
 * a person, and is forked. Run it with `npm run demo`. It needs no API key and no network.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openDatabase } from "../../src/db/index.js";
import { paint, say } from "./narrator.js";
import { type DemoOptions, parseDemoOptions, USAGE } from "./options.js";
import { play } from "./play.js";

try {
  const options = parseDemoOptions(process.argv.slice(2));
  if (options.help) console.log(USAGE);
  else await main(options);
} catch (error) {
  console.error(
    `\n${paint("red", "The demo failed.")} ${error instanceof Error ? error.message : String(error)}`,
  );
  process.exitCode = 1;
}

async function main(options: DemoOptions): Promise<void> {
  const server = options.url === undefined ? undefined : await describe(options.url);
  const folder = await mkdtemp(join(tmpdir(), "langgraph-demo-"));
  say("database", server ?? `PGlite, Postgres in the process, in ${folder}`);
  try {
    const url = options.url ?? `file://${join(folder, "pglite")}`;
    await play({ ...options, url, journal: join(folder, "journal.jsonl") });
  } catch (error) {
    say("kept", `${folder}, to inspect what went wrong`, "red");
    throw error;
  }
  if (options.keep && options.url === undefined) say("kept", folder);
  else await rm(folder, { recursive: true });
}

/** Describes a database without the password. Throws for a malformed connection string, without quoting it. */
async function describe(url: string): Promise<string> {
  const opened = openDatabase(url);
  const { host, port, database } = opened.address();
  await opened.close();
  return host === undefined ? url : `postgres://${host}:${port ?? ""}/${database ?? ""}`;
}
