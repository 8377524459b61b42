import { afterEach, beforeAll, beforeEach, expect, it } from "@jest/globals";
import { PostgresSaver } from "../../src/index.js";
import {
  describeEachTarget,
  describePartitioned,
  describeServer,
  type Target,
  type TestDatabase,
} from "../../test-support/targets.js";
import { InMemorySdk } from "../telemetry/in-memory-sdk.js";
import { CALLS, type CountedThread, storeCountedThread } from "./every-call.js";

const NAME = "every method of a saver";
describeEachTarget(NAME, callEach);
describePartitioned(NAME, callEach);

function callEach(target: Target): void {
  let database: TestDatabase;
  let thread: CountedThread;

  beforeAll(async () => {
    database = await target.sharedDatabase();
  });
  beforeEach(async () => {
    thread = await storeCountedThread(
      new PostgresSaver(database.source, undefined, { keepTombstones: true }),
    );
  });
  afterEach(async () => {
    await thread.saver.end();
  });

  it.each(Object.entries(CALLS))("%s", async (_name, call) => {
    await call(thread);
  });
}

describeServer("the replica of a saver", (target) => {
  it("is asked by the methods that list, measure or compare, and by no other one unless its caller says so", async () => {
    const { source } = await target.sharedDatabase();
    const sdk = new InMemorySdk().start();
    const countReads = async (): Promise<number> => {
      const counted = (await sdk.measured()).get("langgraph.checkpoint.stale_reads");
      return (counted?.dataPoints ?? []).reduce((sum, { value }) => sum + Number(value), 0);
    };
    const asked: string[] = [];
    for (const [name, call] of Object.entries(CALLS)) {
      // It is no standby, so its reads are counted and answered by the primary, which is the same database.
      const options = { keepTombstones: true, replica: source };
      const thread = await storeCountedThread(new PostgresSaver(source, undefined, options));
      const before = await countReads();
      await call(thread);
      if ((await countReads()) > before) asked.push(name);
      await thread.saver.end();
    }
    await sdk.stop();
    expect(asked.toSorted()).toEqual([
      ...["diff", "history", "listThreads", "listTombstones", "storage", "taskStats", "verify", "writesOf"],
    ]);
  });
});
