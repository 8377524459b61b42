import { afterAll, beforeAll, describe } from "@jest/globals";
import { randomUUID } from "node:crypto";
import { JsonSerializer, MsgpackSerializer } from "../../../src/serde/index.js";
import { PostgresSaver, type PostgresSaverOptions } from "../../../src/index.js";
import { describeAnyTarget } from "../../../test-support/targets.js";

/** The config of one thread, to pass to a graph. */
export interface Thread {
  readonly configurable: { readonly thread_id: string };
}

/** The saver and the threads for the tests of a graph. */
export interface GraphSuite {
  /** The saver of the suite. Its tests use separate threads. */
  readonly saver: PostgresSaver;
  /** Creates a thread that no other test uses. */
  newThread(): Thread;
}

const LAYOUTS = { MessagePack: () => new MsgpackSerializer(), JSON: () => new JsonSerializer() };

type Layout = keyof typeof LAYOUTS;

/**
 * Runs a suite about graphs on every target and with both layouts. Graphs must behave the same on any Postgres and with any layout.
 */
export function describeGraphs(
  name: string,
  body: (suite: GraphSuite) => void,
  layouts: readonly Layout[] = ["MessagePack", "JSON"],
  options: PostgresSaverOptions = {},
): void {
  describeAnyTarget(name, (target) => {
    // The layout hardly depends on the server, so one layout is enough on PGlite.
    describe.each(target.name === "pglite" ? layouts.slice(0, 1) : layouts)("written as %s", (layout) => {
      let saver: PostgresSaver;
      beforeAll(async () => {
        const { source } = await target.migratedDatabase();
        saver = new PostgresSaver(source, LAYOUTS[layout](), options);
      });
      afterAll(() => saver.end());
      body({
        get saver() {
          return saver;
        },
        newThread: () => ({ configurable: { thread_id: randomUUID() } }),
      });
    });
  });
}
