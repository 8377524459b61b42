import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import { openDatabase } from "../../src/db/index.js";
import { PostgresSaver } from "../../src/index.js";
import { migrateToLatest } from "../../src/migrations/index.js";
import { putValues, threadConfig } from "../../test-support/checkpoints.js";
import { runs } from "../../test-support/runs.js";
import { describeServer } from "../../test-support/targets.js";
import { serializerOf } from "./content/serializers.js";
import { fixtureNames, readFixture } from "./fixture.js";
import { NEWEST } from "./newest.js";
import { OldProcess } from "./rolling/old-side.js";
import { type Abilities, Side } from "./rolling/side.js";
import { type AnySide, anySteps, runSteps } from "./rolling/steps.js";

describeServer("a rolling upgrade", (target) => {
  describe.each(fixtureNames())("from %s", (name) => {
    const { sql, expected } = readFixture(name);
    // An option that writes a new format is turned on when every process knows it.
    const options = {
      splices: expected.steps.includes("0006-add-splice-base"),
      tombstones: expected.steps.includes("0005-create-tombstones"),
    };
    const common = { ...options, items: "items" in expected.content, entries: "entries" in expected.content };
    let url: string;
    let process: OldProcess;
    let abilities: Abilities;
    let sides: Record<"old" | "newest", AnySide>;

    beforeAll(async () => {
      const [started, database] = await Promise.all([OldProcess.start(name), target.createDatabase()]);
      process = started;
      url = database.source;
      await database.exec(sql);
      const { kysely, close } = openDatabase(url);
      await migrateToLatest(kysely, { with: ["store", "cache"] });
      await close();
      abilities = await process.open({ url, ...options });
      sides = { old: process.side, newest: new Side(NEWEST, url, options) };
    });
    afterAll(async () => {
      await sides.newest.end();
      await process.end();
    });

    it("lets an earlier process restart on the migrated tables", async () => {
      expect(abilities).toMatchObject(options);
      await sides.old.setup();
    });

    it("lets both versions continue each other's threads, and see each other's items, entries and deletions", async () => {
      let run = 0;
      const property = fc.asyncProperty(anySteps, (steps) => runSteps(sides, steps, common, String(run++)));
      await fc.assert(property, runs(1));
    });

    const eachWay = () =>
      [
        [sides.old, sides.newest],
        [sides.newest, sides.old],
      ] as const;

    it("keeps what one version remembers apart from what the other one has stored in its place", async () => {
      for (const [at, [rememberer, other]] of eachWay().entries()) {
        const thread = `counted ${at} times`;
        for (const item of ["a", "b", "c"]) await rememberer.append(thread, item);
        await other.remove(thread);
        for (const item of ["x", "y", "z"]) await other.append(thread, item);
        await rememberer.appendUnread(thread, "d");
        for (const side of [rememberer, other]) {
          expect(await side.read(thread)).toEqual(["a", "b", "c", "d"]);
          expect((await side.readAll(thread)).lists.slice(1)).toEqual([["x", "y", "z"], ["x", "y"], ["x"]]);
        }
      }
    });

    it("keeps a thread that one version has locked from the other one", async () => {
      if (!abilities.locks) return;
      for (const [holder, other] of eachWay()) {
        await holder.lock("locked");
        await expect(other.lock("locked")).rejects.toMatchObject({ code: "THREAD_LOCKED" });
        await holder.unlock("locked");
      }
    });

    it("turns on new options at its end: before, an earlier process fails, or writes to a deleted thread", async () => {
      await using expanding = new PostgresSaver(url);
      const early = new Side(NEWEST, url, { splices: true, tombstones: true });
      await early.append("early", "a");
      await early.append("early", "b");
      if (options.splices) expect(await sides.old.read("early")).toEqual(["a", "b"]);
      else await expect(sides.old.read("early")).rejects.toThrow("msgpack-splice");
      await expanding.expand({ threads: ["early"] });
      expect(await sides.old.read("early")).toEqual(["a", "b"]);
      await early.append("kept early", "a");
      await early.remove("kept early");
      if (options.tombstones)
        await expect(sides.old.append("kept early", "late")).rejects.toMatchObject({
          code: "THREAD_DELETED",
        });
      else expect(await sides.old.append("kept early", "late")).toBe(2);
      await using encrypted = new PostgresSaver(url, serializerOf(NEWEST, "gcm"));
      await putValues(encrypted, threadConfig("encrypted"), { list: ["a"] });
      await expect(sides.old.read("encrypted")).rejects.toThrow("aes-256-gcm");
      await early.end();
    });
  });
});
