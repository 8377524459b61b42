import { afterAll, afterEach, beforeAll, describe, expect, it } from "@jest/globals";
import { listIds, newThread, threadConfig } from "../../test-support/checkpoints.js";
import { until } from "../../test-support/until.js";
import { hoursAgo, putLine } from "../retention/put-line.js";
import { EVERY, startClocked } from "../scheduled-retention/clocked-retention.js";
import { Replicated } from "./replicated.js";

describe("a retention of a server with a replica", () => {
  let servers: Replicated;
  beforeAll(async () => {
    servers = await Replicated.start();
  });
  afterEach(() => servers.resume());
  afterAll(() => servers.remove());

  const MAX_LAG_MS = 50;

  /** Waits until the server knows that its replica is behind, or that it is not. */
  const untilLag = (isBehind: boolean): Promise<void> =>
    until(async () => {
      // The replica reports its position when it receives something.
      await servers.onPrimary("select pg_logical_emit_message(true, 'test', 'x')");
      const [row] = await servers.onPrimary(
        `select coalesce(max(extract(epoch from replay_lag)) * 1000, 0) > ${MAX_LAG_MS} as behind from pg_stat_replication`,
      );
      return row?.behind === isBehind;
    });

  it("waits while the replica is behind, and continues when it has caught up", async () => {
    const { saver, logger } = servers.open();
    const thread = newThread();
    await putLine(saver, thread, hoursAgo(3, 2, 1));
    const count = async () => (await listIds(saver.list(threadConfig(thread)))).length;
    await servers.pause();
    await untilLag(true);
    const { retention, clock } = startClocked(saver, { keepLast: 1, maxLagMs: MAX_LAG_MS });
    await clock.endPause();
    for (let n = 0; n < 3; n++) {
      expect(await clock.untilPaused()).toBeCloseTo(1_000);
      expect(await count()).toBe(3);
      await clock.endPause();
    }
    await servers.resume();
    await untilLag(false);
    while ((await clock.untilPaused()) < EVERY) await clock.endPause();
    expect(await count()).toBe(1);
    const messages = logger.lines
      .map(({ message }) => message)
      .filter((message) => message.includes("replica"));
    expect(messages).toEqual([
      "retention pauses: a replica is behind",
      "retention continues: the replicas have caught up",
    ]);
    await retention.stop();
    await saver.end();
  });

  it("says once that it can't see the lag, where the role may not", async () => {
    await servers.onPrimary("create role blind login password 'blind'");
    await servers.onPrimary("grant select, insert, update, delete on all tables in schema public to blind");
    const url = new URL(servers.primary.url);
    url.username = "blind";
    url.password = "blind";
    const { saver: blind, logger: log } = servers.open({}, url.href);
    const { retention, round } = startClocked(blind, { keepLast: 1 });
    await round();
    await round();
    expect(log.at("warn").map(({ message }) => message)).toEqual([
      "the lag of replicas is hidden: grant the role pg_monitor",
    ]);
    expect(log.at("error")).toEqual([]);
    await retention.stop();
    await blind.end();
  });
});
