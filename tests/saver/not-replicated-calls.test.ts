import { describe, expect, it } from "@jest/globals";
import { DatabaseError, NotReplicatedError } from "../../src/index.js";
import { abortable } from "./bounded/abortable.js";
import { rejectionOf } from "./bounded/hung-statements.js";
import { OPENINGS } from "./bounded/openings.js";
import { TIMEOUT_MS, useUnreplicatedServer, WRITES } from "./bounded/unreplicated-server.js";

describe("every change whose synchronous standby is lost", () => {
  const server = useUnreplicatedServer();

  describe.each(OPENINGS)("on $on", ({ open }) => {
    it.each(WRITES)("is not acknowledged if statementTimeoutMs ends $what", async ({ call }) => {
      const { saver, close } = open(server().url, { statementTimeoutMs: TIMEOUT_MS });
      const error = await rejectionOf(call(await server().store(saver)));
      expect(error).toBeInstanceOf(NotReplicatedError);
      expect(error).toBeInstanceOf(DatabaseError);
      expect(error).toMatchObject({ code: "NOT_REPLICATED", transient: false });
      await close();
    });

    it.each(WRITES)("is not acknowledged if an AbortSignal ends $what", async ({ call }) => {
      const { saver, close } = open(server().url);
      const { signal, abort } = abortable();
      const rejection = rejectionOf(call(await server().store(saver), signal));
      await server().standby.untilWaiting();
      abort();
      expect(await rejection).toBeInstanceOf(NotReplicatedError);
      await close();
    });
  });
});
