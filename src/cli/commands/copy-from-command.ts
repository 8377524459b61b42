import { outcome } from "./reports.js";
import { flag, namedOrAll, threadList, strictOption } from "../options/shared-options.js";
import { Argument } from "commander";
import { z } from "zod";
import { codeOf } from "../../errors/thrown.js";
import { CheckpointError } from "../../errors/index.js";
import type {
  CopyThreadsProgress,
  CopyThreadsReport,
  ThreadCopyError,
} from "../../threads/between-savers/copy-threads-types.js";
import type { CommandDefinition } from "../command-definition.js";
import { runLongWork } from "../run/long-work.js";
import { describePlaces } from "../output/describe-rows.js";
import { countOf, humanCount } from "../output/format-numbers.js";
import { printable } from "../output/printable.js";

const copyFromFlags = z.object({
  module: z.string(),
  threads: threadList,
  strict: flag,
});

const LEFT = "left, because they can't be copied";

const NOTHING: CopyThreadsProgress = { total: 0, threads: 0, checkpoints: 0, skipped: 0 };

export const copyFromCommand: CommandDefinition = {
  name: "copy-from",
  group: "Check and back up",
  summary: "copy threads from any other checkpoint saver; checkpoints that are there already are skipped",
  args: () => [
    new Argument(
      "<module>",
      "the JavaScript module that exports the saver, or a function that returns it, by default or as `checkpointer`",
    ),
    new Argument("[threads...]", "the threads (default: all)"),
  ],
  options: () => [strictOption()],
  examples: ["copy-from ./sqlite-saver.mjs", "copy-from ./sqlite-saver.mjs 42 43 --json"],
  run: async ({ openSaver, importModule, signal, style, terminal }, flags) => {
    const { module, threads, strict } = copyFromFlags.parse(flags);
    const { copyThreads } = await import("../../threads/between-savers/copy-threads.js");
    const { withLoadedSaver } = await import("../options/load-module.js");
    try {
      const report = await runLongWork<CopyThreadsProgress, CopyThreadsReport>(
        { signal, terminal },
        {
          what: "copying",
          total: ({ total }) => total,
          show: (state) => [state.threads, describe(state)],
          interrupted: (last = NOTHING) => `copied ${describe(last)}; run the command again to continue`,
          run: (onProgress) =>
            withLoadedSaver(module, importModule, (source) =>
              copyThreads(source, openSaver({ keepTombstones: true }), {
                threads: namedOrAll(threads),
                ...{ strict, signal, onProgress },
              }),
            ),
        },
      );
      const missing = report.missing.map(
        (thread) => `\n${style.bad("missing")} the source has no thread ${printable(thread)}`,
      );
      const text = `copied ${describe(report)}${missing.join("")}${describePlaces(LEFT, report.damaged)}`;
      return outcome(report.damaged.length, report.missing.length, text, report);
    } catch (error) {
      throw isCopyError(error) ? withProgress(error) : error;
    }
  },
};

function describe({ threads, checkpoints, skipped }: CopyThreadsProgress): string {
  const there = skipped === 0 ? "" : `; ${humanCount(skipped)} were there already`;
  return `${countOf(threads, "thread")}: ${countOf(checkpoints, "checkpoint")}${there}`;
}

function withProgress(error: ThreadCopyError): CheckpointError {
  const { code, message, progress, threadId, checkpointNs, checkpointId } = error;
  const problem = `${message}; copied before: ${describe(progress)}; run the command again to continue`;
  return new CheckpointError(code, problem, { threadId, checkpointNs, checkpointId, cause: error });
}

function isCopyError(error: unknown): error is ThreadCopyError {
  return codeOf(error) === "THREAD_COPY_FAILED";
}
