import { expect, it } from "@jest/globals";
import { readFile, writeFile } from "node:fs/promises";
import { format, resolveConfig } from "prettier";
import { z } from "zod";
import { nextId } from "../support/checkpoints.js";
import { describeServer } from "../support/targets.js";
import { renderValue } from "./render-value.js";
import { configOf, TwoLanguages } from "./two-languages.js";

const PAGE = new URL("../../docs/interop.md", import.meta.url);
const BEGIN = "<!-- The table is written by `npm run docs:interop`. -->";
const END = "<!-- End of the table. -->";

const returnedShape = z.record(
  z.string(),
  z.object({ class: z.string().optional(), own: z.boolean().optional() }),
);

/** The table of types in docs/interop.md, which this run makes and compares. */
export function describeTable(interpreter: string): void {
  describeServer("the table of types", (target) => {
    it("in docs/interop.md is what this run sees; npm run docs:interop writes it", async () => {
      const both = await TwoLanguages.start(target, interpreter);
      await both.python.do("store", { thread: "types", checkpoint: nextId() });
      const tuple = await both.saver.getTuple(configOf("types"));
      if (tuple === undefined) throw new Error("Python stored nothing");
      const every = z.record(z.string(), z.unknown()).parse(tuple.checkpoint.channel_values.every);
      // Written again by TypeScript, under a version of its own.
      const channel_versions = { every: both.saver.getNextVersion("1") };
      const handedOn = {
        ...tuple.checkpoint,
        id: nextId(),
        channel_values: { every: tuple.checkpoint.channel_values.every },
        channel_versions,
      };
      await both.saver.put(
        tuple.config,
        handedOn,
        { source: "loop", step: 2, parents: {} },
        channel_versions,
      );
      const returned = returnedShape.parse(await both.python.do("returned", { thread: "types" }));
      await both.end();

      const rows = Object.entries(every).map(([name, value]) =>
        row([name, renderValue(value), comesBackAs(returned[name] ?? {})]),
      );
      expect(Object.values(returned).filter(({ own }) => own === false)).toEqual([]);
      const table = [row(["In Python", "In TypeScript", "Back in Python"]), "|---|---|---|", ...rows].join(
        "\n",
      );
      const page = await readFile(PAGE, "utf8");
      const written = `${page.slice(0, page.indexOf(BEGIN))}${BEGIN}\n\n${table}\n\n${page.slice(page.indexOf(END))}`;
      const fresh = await format(written, { ...(await resolveConfig(PAGE)), parser: "markdown" });
      if (process.env.INTEROP_TABLE === "write") await writeFile(PAGE, fresh);
      else expect(page).toBe(fresh);
    });
  });
}

function row(cells: readonly string[]): string {
  return `| ${cells.join(" | ")} |`;
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
