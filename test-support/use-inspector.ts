import { afterAll, beforeAll } from "@jest/globals";
import { PostgresSaver } from "../src/index.js";
import { type RunningInspector, serveInspector } from "./serve-inspector.js";
import type { DatabaseSource, Target, TestDatabase } from "./targets.js";

/** An inspector on a database of its own. Its parts are there when the first test begins. */
export interface UsedInspector<Source extends DatabaseSource> {
  readonly database: TestDatabase<Source>;
  readonly saver: PostgresSaver;
  /** The address of the page. */
  readonly url: string;
}

/**
 * Serves an inspector to all tests of a suite, and closes it after the last one.
 *
 * @param fill - Stores what the pages show.
 *
 * @example
 * ```ts
 * const inspected = useInspector(target);
 * it("lists threads", async () => {
 *   const page = await browser.openPage(inspected.url);
 * });
 * ```
 */
export function useInspector<Source extends DatabaseSource>(
  target: Target<Source>,
  fill: (saver: PostgresSaver, database: TestDatabase<Source>) => Promise<void> = () => Promise.resolve(),
): UsedInspector<Source> {
  let used: { database: TestDatabase<Source>; saver: PostgresSaver; inspector: RunningInspector } | undefined;
  const opened = () => {
    if (used === undefined) throw new Error("the inspector is served in beforeAll");
    return used;
  };
  beforeAll(async () => {
    const database = await target.migratedDatabase();
    // So that tests of live pages need not wait for the next look.
    const saver = new PostgresSaver(database.source, undefined, { notify: true });
    await fill(saver, database);
    used = { database, saver, inspector: await serveInspector(saver) };
  });
  afterAll(async () => {
    await used?.inspector.close();
    await used?.saver.end();
  });
  return {
    get database() {
      return opened().database;
    },
    get saver() {
      return opened().saver;
    },
    get url() {
      return opened().inspector.url;
    },
  };
}
