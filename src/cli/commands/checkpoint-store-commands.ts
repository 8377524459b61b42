import { answer, success } from "./reports.js";
import { flag, dryRunOption } from "../options/shared-options.js";
import { Option } from "commander";
import { z } from "zod";
import type { CheckpointCopyError, CopyProgress } from "../../checkpoint-store/copy-checkpoints.js";
import { codeOf } from "../../errors/thrown.js";
import { CheckpointError } from "../../errors/index.js";
import { parseStoreLocation, storeOptions } from "../checkpoint-stores/store-url.js";
import type { CommandDefinition } from "../command-definition.js";
import { runLongWork } from "../run/long-work.js";
import { countOf, humanCount } from "../output/format-numbers.js";
import { shellWord, printable } from "../output/printable.js";
import type {
  CheckpointProblem,
  VerifyCheckpointsProgress,
  VerifyCheckpointsReport,
} from "../../checkpoint-store/checkpoint-store.js";
import { formatTable } from "../output/format-table.js";
import type { Style } from "../output/style.js";

const name = z.string().optional();
const storeCopyFlags = z.object({
  ...{ from: z.string(), fromSchema: name, fromTable: name, fromPrefix: name },
  ...{ to: z.string(), toSchema: name, toTable: name, toPrefix: name },
  setup: flag,
  after: z.string().optional(),
  dryRun: flag,
});

export const storeCopyCommand: CommandDefinition = {
  name: "store-copy",
  group: "Check and back up",
  summary: "copy a CheckpointStore into another database; what is there and equal is not stored again",
  options: () => [
    ...storeOptions("from", "the store to copy"),
    ...storeOptions("to", "the store to copy into"),
    new Option("--setup", "create the table of the target, and the database of its folder or file"),
    new Option("--after <id>", "continue after this checkpoint, which an interrupted copy has named"),
    dryRunOption("compare the stores, and store nothing"),
  ],
  examples: [
    "store-copy --from redis://localhost:6379 --to postgres://localhost/agents --setup",
    "store-copy --from postgres://localhost/agents --to postgres://localhost/agents --to-schema archive --setup",
    "store-copy --from redis://localhost:6379 --to postgres://localhost/agents --dry-run --json",
  ],
  runAlone: async (context, flags) => {
    const parsed = storeCopyFlags.parse(flags);
    const { setup, dryRun } = parsed;
    const from = parseStoreLocation("from", parsed.from, {
      ...{ schema: parsed.fromSchema, table: parsed.fromTable, prefix: parsed.fromPrefix },
    });
    const to = parseStoreLocation("to", parsed.to, {
      ...{ schema: parsed.toSchema, table: parsed.toTable, prefix: parsed.toPrefix },
    });
    const { signal } = context;
    const { withStores } = await import("../checkpoint-stores/open-checkpoint-store.js");
    const { copyCheckpoints } = await import("../../checkpoint-store/copy-checkpoints.js");
    try {
      const report = await withStores({ from, to, setup }, context, (source, target) =>
        runLongWork<CopyProgress, CopyProgress>(context, {
          what: dryRun ? "comparing" : "copying",
          total: ({ total }) => total,
          show: ({ read, total }) => [read, `${humanCount(read)} of ${countOf(total, "checkpoint")}`],
          interrupted: describeInterrupt,
          run: (onProgress) =>
            copyCheckpoints(source, target, { signal, dryRun, after: parsed.after, onProgress }),
        }),
      );
      return success(`${dryRun ? "would copy" : "copied"} ${describeCopy(report)}`, { ...report, dryRun });
    } catch (error) {
      throw isCopyError(error) ? withHint(error) : error;
    }
  },
};

function describeCopy({ read, created, replaced, unchanged }: CopyProgress): string {
  return `${countOf(read, "checkpoint")}: ${humanCount(created)} new, ${humanCount(replaced)} replaced, ${humanCount(unchanged)} unchanged`;
}

function describeInterrupt(soFar: CopyProgress | undefined): string {
  if (soFar === undefined) return "run the command again to continue";
  return `${humanCount(soFar.read)} of ${countOf(soFar.total, "checkpoint")} are copied; ${hint(soFar)}`;
}

function withHint(error: CheckpointCopyError): CheckpointError {
  const { code, message, progress, checkpointId } = error;
  return new CheckpointError(code, `${message}; ${hint(progress)}`, { checkpointId, cause: error });
}

function hint({ after }: CopyProgress): string {
  const option = after === undefined ? "" : ` with --after ${shellWord(after)}`;
  return `run the command again${option} to continue`;
}

function isCopyError(error: unknown): error is CheckpointCopyError {
  return codeOf(error) === "COPY_FAILED";
}

const storeVerifyFlags = z.object({
  store: z.string(),
  ...{ storeSchema: name, storeTable: name, storePrefix: name },
});

export const storeVerifyCommand: CommandDefinition = {
  name: "store-verify",
  group: "Check and back up",
  summary: "check that every checkpoint of a CheckpointStore can be read; exit with 1 if one can't",
  options: () => storeOptions("store", "the store to check"),
  examples: [
    "store-verify --store redis://localhost:6379",
    "store-verify --store postgres://localhost/agents --json",
  ],
  runAlone: async (context, flags) => {
    const parsed = storeVerifyFlags.parse(flags);
    const location = parseStoreLocation("store", parsed.store, {
      ...{ schema: parsed.storeSchema, table: parsed.storeTable, prefix: parsed.storePrefix },
    });
    const { signal, terminal, style } = context;
    const { withStore } = await import("../checkpoint-stores/open-checkpoint-store.js");
    const report = await withStore(location, context, (store) =>
      runLongWork<VerifyCheckpointsProgress, VerifyCheckpointsReport>(
        { signal, terminal },
        {
          what: "verifying",
          show: (state) => [0, describeVerified(state)],
          interrupted: (last) =>
            last === undefined ? "nothing was checked" : `checked ${describeVerified(last)}`,
          run: (onProgress) => store.verify({ signal, onProgress }),
        },
      ),
    );
    return answer(report.problems.length === 0, textOf(report, style, terminal.columns), report);
  },
};

function describeVerified({ checkpoints, problems }: VerifyCheckpointsProgress): string {
  return `${countOf(checkpoints, "checkpoint")}, ${countOf(problems, "problem")}`;
}

function textOf(
  { checkpoints, problems }: VerifyCheckpointsReport,
  style: Style,
  width: number | undefined,
): string {
  const outcome =
    problems.length === 0
      ? style.good("everything can be read")
      : style.bad(countOf(problems.length, "problem"));
  const end = `checked ${countOf(checkpoints, "checkpoint")}: ${outcome}`;
  return problems.length === 0 ? end : `${tableOf(problems, width)}\n\n${end}`;
}

function tableOf(problems: readonly CheckpointProblem[], width: number | undefined): string {
  const rows = problems.map(({ code, message }) => [code, printable(message)]);
  return formatTable([["CODE", "PROBLEM"], ...rows], { text: 1, width });
}
