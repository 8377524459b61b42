import { afterAll, beforeAll, describe } from "@jest/globals";
import { randomUUID } from "node:crypto";
import { JsonSerializer, MsgpackSerializer } from "../../../src/serde/index.js";
import { PostgresSaver, type PostgresSaverOptions } from "../../../src/index.js";
import { describeAnyTarget } from "../../support/targets.js";

/** The config of one thread, as it is handed to a graph. */
export interface Thread {
  readonly configurable: { readonly thread_id: string };
}

/** What the tests of a graph run on. */
export interface GraphSuite {
  /** A saver of the suite; its tests keep apart by their threads. */
  readonly saver: PostgresSaver;
  /** A thread that no other test has. */
  newThread(): Thread;
}

const LAYOUTS = { MessagePack: () => new MsgpackSerializer(), JSON: () => new JsonSerializer() };

type Layout = keyof typeof LAYOUTS;

/**
 * Runs a suite about graphs on every target and in both layouts: on which Postgres a graph stands, and how its values
 * are written, makes no difference to it.
 */
export function describeGraphs(
  name: string,
  body: (suite: GraphSuite) => void,
  layouts: readonly Layout[] = ["MessagePack", "JSON"],
  options: PostgresSaverOptions = {},
): void {
  describeAnyTarget(name, (target) => {
    // The layout is the server's least concern: what both have in common need not be seen twice on PGlite.
    describe.each(target.name === "pglite" ? layouts.slice(0, 1) : layouts)("written as %s", (layout) => {
      let saver: PostgresSaver;
      beforeAll(async () => {
        const { source } = await target.createDatabase();
        saver = new PostgresSaver(source, LAYOUTS[layout](), options);
        await saver.setup();
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
