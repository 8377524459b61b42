import {
  threadsArgument,
  flag,
  namedOrAll,
  threadList,
  dryRunOption,
  strictOption,
} from "../options/shared-options.js";
import { outcome } from "./reports.js";
import { z } from "zod";
import type { CallContext } from "../../db/call-context.js";
import type { GrowthRequest } from "../../compaction/boundary/parse-growth.js";
import type { SerializerOf } from "../../compaction/each-channel.js";
import type { GrowthProgress, GrowthReport, RewrittenValues } from "../../compaction/growth-types.js";
import type { CommandDefinition } from "../command-definition.js";
import { runLongWork } from "../run/long-work.js";
import { describeDamaged, describeNotFound } from "../output/describe-rows.js";
import { countOf, humanBytes } from "../output/format-numbers.js";

const flagsOfRewriting = z.object({
  threads: threadList,
  dryRun: flag,
  strict: flag,
});

/** What differs between the commands that store values in another form. */
interface Rewriting {
  readonly name: "compact" | "expand" | "sanitize";
  readonly summary: string;
  /** The verb of the progress: `compacting`. */
  readonly doing: string;
  /** The verb of the report: `compacted`. */
  readonly done: string;
  readonly nothing: string;
  readonly examples: readonly string[];
  /** Loads the function that does the work. */
  readonly load: () => Promise<Rewrite>;
}

type Rewrite = (call: CallContext, request: GrowthRequest, serdeOf: SerializerOf) => Promise<GrowthReport>;

/** Creates a command that stores the values of threads in another form, each thread in its own format. */
function rewritingCommand(rewriting: Rewriting): CommandDefinition {
  const { name, summary, doing, done, nothing, examples, load } = rewriting;
  return {
    name,
    group: "Clean up",
    summary,
    args: () => [threadsArgument()],
    options: () => [dryRunOption("print what would be stored, and change nothing"), strictOption()],
    examples,
    run: async ({ tables, openSaver, signal, terminal }, flags) => {
      const { threads, dryRun, strict } = flagsOfRewriting.parse(flags);
      const { parseGrowth } = await import("../../compaction/boundary/parse-growth.js");
      const { selectTypes } = await import("../../compaction/queries/values-of-channel.js");
      const rewrite = await load();
      const serdeOf: SerializerOf = async (threadId) => {
        const saver = openSaver({}, await selectTypes(tables, threadId));
        return saver.serde;
      };
      const report = await runLongWork<GrowthProgress, GrowthReport>(
        { signal, terminal },
        {
          what: dryRun ? "scanning" : doing,
          show: (state) => [state.threadsDone, describe(state)],
          interrupted: (last) =>
            dryRun || last === undefined
              ? "nothing was changed"
              : `${done} ${describe(last)}; run the command again to continue`,
          run: (onProgress) => {
            const request = { threads: namedOrAll(threads), dryRun, strict, onProgress };
            return rewrite(tables, parseGrowth(request), serdeOf);
          },
        },
      );
      const verb = dryRun ? `would ${name}` : done;
      const text =
        report.values === 0 ? nothing : `${verb} ${describe(report)} of ${countOf(report.threads, "thread")}`;
      const notes = describeNotFound(report) + describeDamaged(report);
      return outcome(report.damaged.length, 0, text + notes, report);
    },
  };
}

function describe({ values, bytesBefore, bytesAfter }: RewrittenValues): string {
  return `${countOf(values, "value")} (${humanBytes(bytesBefore)} to ${humanBytes(bytesAfter)})`;
}

export const compactCommand = rewritingCommand({
  name: "compact",
  summary: "store values as splices of earlier ones, which only this library reads",
  doing: "compacting",
  done: "compacted",
  nothing: "nothing to compact",
  examples: ["compact --dry-run", "compact 42 43", "compact --json"],
  load: async () => (await import("../../compaction/compact.js")).compact,
});

export const expandCommand = rewritingCommand({
  name: "expand",
  summary: "store splices as whole values again, for Python's saver and the official JavaScript saver",
  doing: "expanding",
  done: "expanded",
  nothing: "nothing to expand",
  examples: ["expand --dry-run", "expand 42 43", "expand --json"],
  load: async () => (await import("../../compaction/expand.js")).expand,
});

export const sanitizeCommand = rewritingCommand({
  name: "sanitize",
  summary: "remove from stored messages what nodes had replaced in them, which version 0.1.0 kept",
  doing: "sanitizing",
  done: "sanitized",
  nothing: "nothing to sanitize",
  examples: ["sanitize --dry-run", "sanitize 42 43", "sanitize --json"],
  load: async () => (await import("../../sanitize/sanitize.js")).sanitize,
});
