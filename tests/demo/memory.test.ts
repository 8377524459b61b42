import { expect, it, jest } from "@jest/globals";
import pg from "pg";
import { playMemory } from "../../examples/memory/play.js";
import { describeVectors } from "../../test-support/targets.js";

// `npm run demo:memory` is the same on PGlite.
describeVectors("the demo of memory", (target) => {
  it("recalls in other threads what the same user said, and no other user, on every run", async () => {
    const { source } = await target.createDatabase();
    const database = typeof source === "string" ? new pg.Pool({ connectionString: source }) : source;
    const lines: string[] = [];
    const log = jest.spyOn(console, "log").mockImplementation((line: unknown) => {
      lines.push(String(line));
    });
    try {
      await playMemory(database);
      await playMemory(database);
    } finally {
      log.mockRestore();
      if (database instanceof pg.Pool) await database.end();
    }
    const recalled = lines.filter((line) => line.includes("recalled"));
    expect(recalled.map((line) => line.trim().replace(/^recalled +/, ""))).toEqual([
      "nothing",
      ...["is allergic to peanuts", "prefers trains to planes", "nothing"],
      "prefers trains to planes and is allergic to peanuts",
      ...["is allergic to peanuts", "prefers trains to planes", "nothing"],
    ]);
  });
});
