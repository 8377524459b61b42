import { readFileSync } from "node:fs";
import { PrometheusSerializer } from "@opentelemetry/exporter-prometheus";
import { beforeAll, expect, it } from "@jest/globals";
import { parse } from "yaml";
import { z } from "zod";
import { PostgresCache } from "../../src/cache/index.js";
import { PostgresSaver } from "../../src/index.js";
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
        z.object({ alert: z.string(), expr: z.string(), annotations: z.record(z.string(), z.string()) }),
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
  const { groups } = Rules.parse(parse(read("prometheus-rules.yml")));
  return groups.flatMap(({ rules }) =>
    rules.map(({ alert, expr, annotations }) => ({
      name: alert,
      query: expr,
      shown: Object.values(annotations).flatMap(labelsIn),
    })),
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
    scrape = new PrometheusSerializer().serialize(await sdk.collected());
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
});
