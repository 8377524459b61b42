import { execFile } from "node:child_process";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import type { BenchServer } from "../bench-server.js";
import type { Route } from "../measure/route.js";
import { summarize } from "../measure/statistics.js";
import type { TimedCase } from "../scenarios/scenario.js";
import { recordCase } from "./record-case.js";
import type { RecordedQuery } from "./recorded-query.js";

/** The time of a statement without JavaScript. */
export interface PgbenchResult {
  readonly name: string;
  /** The distance between client and server, one way. 0 without a proxy. */
  readonly latencyMs: number;
  /** `undefined` where pgbench is not installed. */
  readonly medianMs?: number;
}

/**
 * Sends the statement of a reading case with pgbench, where it is installed, over one route after the other:
 * prepared, by one client, `transactions` times.
 */
export async function runPgbench(
  timed: TimedCase,
  server: BenchServer,
  routes: readonly Route[],
  transactions: number,
): Promise<PgbenchResult[]> {
  const { name } = timed;
  if (!(await isInstalled())) return routes.map(({ latencyMs }) => ({ name, latencyMs }));
  const { runs, database } = await recordCase(timed, server, 1);
  try {
    const [query, ...others] = runs.flat();
    if (query === undefined || others.length > 0) throw new Error(`${name}: not one statement`);
    const results = [];
    for (const route of routes) {
      const times = await transactionTimes(query, route.via(database.source), transactions);
      results.push({ name, latencyMs: route.latencyMs, medianMs: summarize(times).medianMs });
    }
    return results;
  } finally {
    await database.giveBack();
  }
}

const run = promisify(execFile);

function isInstalled(): Promise<boolean> {
  return run("pgbench", ["--version"]).then(
    () => true,
    () => false,
  );
}

async function transactionTimes(query: RecordedQuery, url: string, transactions: number): Promise<number[]> {
  const folder = await mkdtemp(join(tmpdir(), "bench-"));
  try {
    const script = join(folder, "statement.sql");
    const values = query.values.map(asText);
    await writeFile(script, `${inItsNotation(query.text, values)};\n`);
    const define = values.flatMap((value, index) =>
      value === "" ? [] : [`--define=p${index + 1}=${value}`],
    );
    const log = ["--log", `--log-prefix=${join(folder, "log")}`];
    // One more, because each is timed from the end of the one before.
    const how = ["--no-vacuum", "--protocol=prepared", "--client=1", `--transactions=${transactions + 1}`];
    await run("pgbench", [...how, ...log, ...define, `--file=${script}`], {
      env: { ...process.env, ...connection(url) },
    });
    return await readLog(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/**
 * Returns the duration of each transaction but the first, in milliseconds, from the times at which they ended: the
 * last two fields of each line, in seconds and microseconds. The field for the duration is 0 where pgbench found the
 * answer at its first look.
 */
async function readLog(folder: string): Promise<number[]> {
  const file = (await readdir(folder)).find((name) => name.startsWith("log."));
  const lines = (await readFile(join(folder, file ?? "log"), "utf8")).trim().split("\n");
  const ends = lines.map((line) => {
    const [seconds, microseconds] = line.split(" ").slice(-2).map(Number);
    return (seconds ?? Number.NaN) * 1_000_000 + (microseconds ?? Number.NaN);
  });
  return ends.slice(1).map((end, index) => (end - (ends[index] ?? Number.NaN)) / 1_000);
}

// pgbench prepares its parameters like the server, but has no empty ones.
function inItsNotation(text: string, values: readonly string[]): string {
  return text.replace(/\$(\d+)/g, (_, index: string) =>
    values[Number(index) - 1] === "" ? "''" : `:p${index}`,
  );
}

function asText(value: unknown): string {
  if (Buffer.isBuffer(value)) return value.toString("utf8");
  if (typeof value === "string" || typeof value === "number") return String(value);
  throw new TypeError("a parameter that pgbench can't be given");
}

// Every user of the machine can read a password among the arguments.
function connection(url: string): Record<string, string> {
  const { hostname, port, username, password, pathname } = new URL(url);
  return {
    PGHOST: hostname,
    PGPORT: port || "5432",
    PGUSER: decodeURIComponent(username),
    PGPASSWORD: decodeURIComponent(password),
    PGDATABASE: decodeURIComponent(pathname.slice(1)),
  };
}
