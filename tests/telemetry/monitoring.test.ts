import { readFileSync } from "node:fs";
import { PrometheusSerializer } from "@opentelemetry/exporter-prometheus";
import { beforeAll, expect, it } from "@jest/globals";
import { parse } from "yaml";
import { z } from "zod";
import { PostgresCache } from "../../src/cache/index.js";
import { type CheckpointErrorCode, PostgresSaver } from "../../src/index.js";
import { TOO_LONG_MS } from "../../src/telemetry/running-calls.js";
import { newThread, putValues, threadConfig } from "../../test-support/checkpoints.js";
import { countWaiting } from "../../test-support/held-locks.js";
import { ManualTime } from "../../test-support/manual-time.js";
import { stopClock } from "../../test-support/shifted-clock.js";
import { describeServer, type TestDatabase } from "../../test-support/targets.js";
import { until } from "../../test-support/until.js";
import { withClient } from "../../test-support/with-client.js";
import { timeInId } from "../../src/saver/model/checkpoint-time.js";
import { idAt } from "../retention/id-at.js";
import { hoursAgo, putLine } from "../retention/put-line.js";
import { startClocked } from "../scheduled-retention/clocked-retention.js";
import { InMemorySdk } from "./in-memory-sdk.js";
import { asCollectorNames, namesIn, type Series, seriesIn } from "./prometheus.js";

/** A query, and the labels that its title, legend or message shows. */
interface Query {
  readonly name: string;
  readonly query: string;
  readonly shown: readonly string[];
}

const Rules = z.object({
  groups: z.array(
    z.object({
      rules: z.array(
        z.union([
          z.object({ record: z.string(), expr: z.string() }),
          z.object({ alert: z.string(), expr: z.string(), annotations: z.record(z.string(), z.string()) }),
        ]),
      ),
    }),
  ),
});
const Dashboard = z.object({
  panels: z.array(
    z.object({
      title: z.string(),
      targets: z.array(z.object({ expr: z.string(), legendFormat: z.string() })).default([]),
    }),
  ),
  templating: z.object({
    list: z.array(
      z.object({ name: z.string(), query: z.union([z.string(), z.object({ query: z.string() })]) }),
    ),
  }),
});

const read = (file: string): string =>
  readFileSync(new URL(`../../docs/public/monitoring/${file}`, import.meta.url), "utf8");
const labelsIn = (template: string): string[] =>
  [...template.matchAll(/\{\{ *(?:\$labels\.)?(\w+)\b/g)].flatMap(([, label = ""]) => label);

function alerts(): Query[] {
  const rules = Rules.parse(parse(read("prometheus-rules.yml"))).groups.flatMap((group) => group.rules);
  const records = rules.flatMap((rule) => ("record" in rule ? [rule] : []));
  return rules.flatMap((rule) =>
    "record" in rule
      ? []
      : {
          name: rule.alert,
          query: records.reduce((text, { record, expr }) => text.replaceAll(record, expr), rule.expr),
          shown: Object.values(rule.annotations).flatMap(labelsIn),
        },
  );
}

function panels(): Query[] {
  const dashboard = Dashboard.parse(JSON.parse(read("grafana-dashboard.json")));
  const variables = dashboard.templating.list.flatMap(({ name, query: asked }) => {
    if (typeof asked === "string") return [];
    const [, query = "", label = ""] = /^label_values\((.+), *(\w+)\)$/.exec(asked.query) ?? [];
    return [{ name: `$${name}`, query, shown: [label] }];
  });
  const targets = dashboard.panels.flatMap(({ title, targets }) =>
    targets.map(({ expr, legendFormat }) => ({
      name: `${title}: ${legendFormat}`,
      // What Grafana puts in their place.
      query: expr.replaceAll("$__rate_interval", "5m").replaceAll("$job", ".*"),
      shown: labelsIn(legendFormat),
    })),
  );
  return [...variables, ...targets];
}

/** The labels that Prometheus adds to each series. */
const OF_PROMETHEUS = ["job", "instance"];
/** A series of Prometheus's own, for each process that it scrapes. */
const UP = "up 1\n";

/**
 * What a failed call of each kind is for whoever is on duty. `normal`: an answer to what the application or its user has done, which never
 * pages. `unreadable`: it pages at once. `failed`: it pages above a share of the calls.
 */
const MEANING: Readonly<Record<CheckpointErrorCode, "normal" | "unreadable" | "failed">> = {
  ABORTED: "normal",
  ARCHIVE_FAILED: "failed",
  BACKUP_REFUSED: "normal",
  BATCH_ENDED: "failed",
  BROKEN_CHAIN: "unreadable",
  CHECKPOINT_NOT_FOUND: "normal",
  CHECKPOINT_SCHEMA: "failed",
  CHECKPOINT_TOO_LARGE: "normal",
  CHECKPOINT_VERSION: "normal",
  CLOCK_BEHIND: "failed",
  CLOSED_PIPE: "normal",
  CONCURRENT_MODIFICATION: "normal",
  CONNECTION_FAILED: "failed",
  CONVERSATION_NOT_FOUND: "normal",
  COPY_FAILED: "failed",
  CORRUPT_CHECKPOINT: "unreadable",
  DATABASE_ERROR: "failed",
  DESERIALIZATION_FAILED: "unreadable",
  DISK_FULL: "failed",
  EMBEDDING_MISMATCH: "failed",
  INCOMPATIBLE_TABLES: "failed",
  INVALID_CONFIG: "normal",
  INVALID_EMBEDDING: "failed",
  ITEM_NOT_FOUND: "normal",
  ITEM_SCHEMA: "normal",
  MIGRATION_FAILED: "failed",
  MIGRATION_REQUIRED: "failed",
  MISSING_PARENTS: "failed",
  MODEL_TOO_SLOW: "failed",
  NOT_REPLICATED: "failed",
  OUTPUT_FAILED: "failed",
  PERMISSION_DENIED: "failed",
  READ_ONLY: "failed",
  ROWS_HIDDEN: "failed",
  ROW_SECURITY_INACTIVE: "failed",
  SERIALIZATION_FAILED: "normal",
  STATEMENT_CANCELLED: "failed",
  STATEMENT_TIMEOUT: "failed",
  THREAD_COPY_FAILED: "failed",
  THREAD_DELETED: "normal",
  THREAD_EXISTS: "normal",
  THREAD_LOCKED: "normal",
  THREAD_LOCK_LOST: "failed",
  VECTORS_CHANGED: "failed",
  VECTOR_EXTENSION_MISSING: "failed",
  VERSION_CONFLICT: "normal",
  WRITES_MISSING: "unreadable",
};
/** Of the server, and of a class that is not ours. */
const OTHER_KINDS = { "53300": "failed", TypeError: "failed" } as const;

/** The kinds of failed calls that a query counts. */
function kindsCountedBy(query: string): string[] {
  const { selectors } = namesIn(query);
  return Object.keys({ ...MEANING, ...OTHER_KINDS }).filter((kind) => {
    const series = new Map([
      ["__name__", "langgraph_checkpoint_errors_total"],
      ["error_type", kind],
    ]);
    // What a kind is compared with, such as the calls of before, has no condition on it.
    return selectors.some(({ text, matches }) => text.includes("error_type") && matches(series));
  });
}

function kindsThatMean(...meanings: string[]): string[] {
  return Object.entries({ ...MEANING, ...OTHER_KINDS }).flatMap(([kind, meaning]) =>
    meanings.includes(meaning) ? kind : [],
  );
}

/** Reads a thread, to which the database answers after more time than it should take. */
async function readTooLong(database: TestDatabase<string>): Promise<void> {
  const time = new ManualTime();
  time.start();
  // It has set no timer by the time of the machine.
  await using saver = new PostgresSaver(database.source);
  let read: Promise<unknown> | undefined;
  await withClient(database.source, async (client) => {
    await client.query("begin; lock table checkpoints in access exclusive mode");
    read = saver.getTuple(threadConfig(newThread()));
    await until(async () => {
      time.pass(1);
      return (await countWaiting(database)) > 0;
    });
    time.pass(TOO_LONG_MS);
    await client.query("rollback");
  });
  await read;
  time.stop();
}

describeServer("the alerts and the dashboard of docs/in-production.md", (target) => {
  let scrape: string;

  beforeAll(async () => {
    const sdk = new InMemorySdk().start();
    const database = await target.sharedDatabase();
    await using saver = new PostgresSaver(database.source, undefined, { splices: true });
    const first = await putValues(saver, threadConfig(newThread()), { a: "x".repeat(5_000) });
    const { config } = await putValues(saver, first.config, { a: "x".repeat(5_001) }, first.checkpoint);
    await saver.putWrites(config, [["a", "write"]], "task");
    const [thread, id] = [newThread(), idAt(Date.now(), 0)];
    await putLine(saver, thread, [id]);
    // As on a machine whose clock stands still before the checkpoint.
    await using late = new PostgresSaver(database.source, undefined, { maxClockWaitMs: 10 });
    const clock = stopClock((timeInId(id)?.getTime() ?? 0) - 1);
    await expect(late.getTuple(threadConfig(thread))).rejects.toThrow("ahead of this machine's clock");
    clock.release();
    await putLine(saver, newThread(), hoursAgo(3, 2, 1));
    await using closed = new PostgresSaver("postgres://127.0.0.1:1/none", undefined, {
      retry: { maxElapsedMs: 1 },
    });
    await expect(closed.getTuple(config)).rejects.toThrow("no connection");
    await using unprepared = new PostgresSaver(database.source, undefined, { schema: "missing" });
    for (const each of [saver, unprepared]) {
      const { retention, round } = startClocked(each, { keepLast: 1 });
      await round();
      await retention.stop();
    }
    await readTooLong(database);
    // A primary is no replica.
    await using misled = new PostgresSaver(database.source, undefined, { replica: database.source });
    await misled.getTuple(config, { staleReads: true });
    await using cache = new PostgresCache(database.source, { sweepIntervalMinutes: false });
    await cache.get([[["ns"], "none"]]);
    await saver.health();
    const damaged = newThread();
    await putValues(saver, threadConfig(damaged), { a: 1 });
    await database.exec(`update checkpoints set checkpoint = '[]' where thread_id = '${damaged}'`);
    await expect(saver.getTuple(threadConfig(damaged))).rejects.toMatchObject({ code: "CORRUPT_CHECKPOINT" });
    scrape = new PrometheusSerializer().serialize(await sdk.collected()) + UP;
    await sdk.stop();
  });

  it.each([...alerts(), ...panels()])("$name asks for series and labels that exist", ({ query, shown }) => {
    const { selectors, grouped } = namesIn(query);
    for (const text of [scrape, asCollectorNames(scrape)]) {
      const series = seriesIn(text);
      const unmatched = selectors.filter(({ matches }) => !series.some(matches));
      expect(unmatched.map(({ text: selector }) => selector)).toEqual([]);
    }
    const found = seriesIn(scrape).filter((series) => selectors.some(({ matches }) => matches(series)));
    const hasAll = (series: Series): boolean =>
      [...grouped, ...shown].every((label) => series.has(label) || OF_PROMETHEUS.includes(label));
    expect(found.some(hasAll)).toBe(true);
    if (grouped.length > 0) expect(grouped).toEqual(expect.arrayContaining([...shown]));
  });

  it.each([
    ["CheckpointCallsFail", ["failed"]],
    ["CheckpointIsUnreadable", ["unreadable"]],
    ["Failed: failed", ["failed", "unreadable"]],
  ])("%s counts the failures that mean it, and no normal outcome", (name, meanings) => {
    const query = [...alerts(), ...panels()].find((each) => each.name === name)?.query ?? "";
    expect(kindsCountedBy(query)).toEqual(kindsThatMean(...meanings));
  });
});
