import { afterAll, beforeAll, expect, it } from "@jest/globals";
import { z } from "zod";
import type { RunnableConfig } from "@langchain/core/runnables";
import { firstDifference } from "../../src/serde/test-support/first-difference.js";
import { nextId } from "../../test-support/checkpoints.js";
import { describeServer } from "../../test-support/targets.js";
import { expectTable } from "../docs/written-table.js";
import { renderValue } from "./render-value.js";
import { configOf, TwoLanguages } from "./two-languages.js";
import { everyTypeScriptValue } from "./typescript-values.js";

const PAGE = { page: "interop.md", script: "docs:interop" };

const everyShape = z.record(z.string(), z.unknown());
const returnedShape = z.record(
  z.string(),
  z.object({ class: z.string().optional(), own: z.boolean().optional() }),
);
const seenShape = z.record(z.string(), z.object({ class: z.string(), repr: z.string() }));

/** Generates the tables of types in docs/interop.md, and compares them with the page. */
export function describeTable(interpreter: string): void {
  describeServer("in docs/interop.md", (target) => {
    let both: TwoLanguages;
    beforeAll(async () => {
      both = await TwoLanguages.start(target, interpreter);
    });
    afterAll(() => both.end());

    it("the table of Python's types is up to date; npm run docs:interop writes it", async () => {
      await both.python.do("store", { thread: "types", checkpoint: nextId() });
      const { config, every } = await readEvery(both, "types");
      await putEvery(both, config, every);
      const returned = returnedShape.parse(await both.python.do("returned", { thread: "types" }));

      const rows = Object.entries(everyShape.parse(every)).map(([name, value]) => [
        name,
        renderValue(value),
        comesBackAs(returned[name] ?? {}),
      ]);
      expect(Object.values(returned).filter(({ own }) => own === false)).toEqual([]);
      await expectTable({ ...PAGE, from: "Python" }, ["In Python", "In TypeScript", "Back in Python"], rows);
    });

    it("the table of TypeScript's types is up to date; npm run docs:interop writes it", async () => {
      const values = everyTypeScriptValue();
      await putEvery(both, configOf("seen"), values);
      const seen = seenShape.parse(await both.python.do("seen", { thread: "seen", checkpoint: nextId() }));
      const returned = everyShape.parse((await readEvery(both, "seen")).every);

      const rows = Object.entries(values).map(([name, value]) => [
        name,
        isSeenAs(seen[name] ?? { class: "", repr: "" }),
        firstDifference(returned[name], value) === undefined ? "the same" : renderValue(returned[name]),
      ]);
      await expectTable(
        { ...PAGE, from: "TypeScript" },
        ["In TypeScript", "In Python", "Back in TypeScript"],
        rows,
      );
    });
  });
}

async function readEvery(
  { saver }: TwoLanguages,
  thread: string,
): Promise<{ readonly config: RunnableConfig; readonly every: unknown }> {
  const tuple = await saver.getTuple(configOf(thread));
  if (tuple === undefined) throw new Error("nothing was stored");
  return { config: tuple.config, every: tuple.checkpoint.channel_values.every };
}

/** Stores the same object, since a copy keeps no origin, with a version of TypeScript. */
async function putEvery({ saver }: TwoLanguages, config: RunnableConfig, every: unknown): Promise<void> {
  const channel_versions = { every: saver.getNextVersion("1") };
  const checkpoint = {
    v: 4,
    id: nextId(),
    ts: "2024-01-01T00:00:00.000Z",
    channel_values: { every },
    channel_versions,
    versions_seen: {},
  };
  await saver.put(config, checkpoint, { source: "loop", step: 2, parents: {} }, channel_versions);
}

function comesBackAs({
  class: name,
  own,
}: {
  class?: string | undefined;
  own?: boolean | undefined;
}): string {
  if (name === undefined) return "the same";
  return own === true ? `\`${name}\`, as from Python's own saver` : `\`${name}\``;
}

/** Renders a value of a class by its class, and any other value by its `repr`. */
function isSeenAs(seen: { readonly class: string; readonly repr: string }): string {
  const text = seen.class.includes(".") ? seen.class : seen.repr;
  return `\`${text.replaceAll("|", "\\|")}\``;
}
