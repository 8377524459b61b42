import { getEventListeners } from "node:events";
import { beforeEach, describe, expect, it } from "@jest/globals";
import { AbortError, CheckpointError } from "../../src/index.js";
import { putValues, threadConfig } from "../../test-support/checkpoints.js";
import { describeServer, type TestDatabase } from "../../test-support/targets.js";
import { snapshotOf } from "./bad-input/snapshot.js";
import { abortable } from "./bounded/abortable.js";
import { CALLS, type Stored } from "./bounded/calls.js";
import { countHung, rejectionOf, untilHung, whileHeld } from "./bounded/hung-statements.js";
import { OPENINGS } from "./bounded/openings.js";

describeServer("a call that hangs on the server and is aborted", (target) => {
  describe.each(OPENINGS)("on $on", ({ open }) => {
    let database: TestDatabase<string>;
    beforeEach(async () => {
      database = await target.sharedDatabase();
    });

    async function openStored(): Promise<Stored & { close: () => Promise<void> }> {
      const opened = open(database.source);
      const { config, checkpoint } = await putValues(opened.saver, threadConfig("stored"), { a: ["kept"] });
      await opened.saver.putWrites(config, [["a", "kept"]], "task");
      return { ...opened, config, checkpoint };
    }

    it.each(CALLS)(
      "$what: rejects, is cancelled on the server, changes nothing and leaves a working saver",
      async ({ call }) => {
        const stored = await openStored();
        const before = await (await snapshotOf(database))();
        const { signal, abort } = abortable();
        const reason = new Error("enough");
        await whileHeld(database, async () => {
          const rejection = rejectionOf(call(stored, signal));
          await untilHung(database);
          abort(reason);
          const error = await rejection;
          expect(error).toBeInstanceOf(AbortError);
          expect(error).toBeInstanceOf(CheckpointError);
          expect(error).toMatchObject({ name: "AbortError", code: "ABORTED", cause: reason });
          // The call has waited for the server's answer, so that one look is enough.
          expect(await countHung(database)).toBe(0);
        });
        expect(getEventListeners(signal, "abort")).toEqual([]);
        expect(await (await snapshotOf(database))()).toEqual(before);
        await expect(call(stored)).resolves.not.toThrow();
        await stored.close();
      },
    );
  });
});
