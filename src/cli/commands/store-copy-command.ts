import { Option } from "commander";
import { z } from "zod";
import type { CheckpointCopyError } from "../../checkpoint-store/copy/checkpoint-copy-error.js";
import type { CopyProgress } from "../../checkpoint-store/model/copy-types.js";
import { codeOf } from "../../errors/error-code.js";
import { CheckpointError } from "../../errors/index.js";
import { parseStoreLocation, storeOptions } from "../checkpoint-stores/store-url.js";
import type { CommandDefinition } from "../command-definition.js";
import { runLongWork } from "../run/long-work.js";
import { EXIT_CODE } from "../exit-code.js";
import { dryRunOption } from "../options/shared-options.js";
import { counted, humanCount } from "../output/format-numbers.js";
import { shellWord } from "../output/shell-word.js";

const name = z.string().optional();
const storeCopyFlags = z.object({
  ...{ from: z.string(), fromSchema: name, fromTable: name, fromPrefix: name },
  ...{ to: z.string(), toSchema: name, toTable: name, toPrefix: name },
  setup: z.boolean().default(false),
  after: z.string().optional(),
  dryRun: z.boolean().default(false),
});

export const storeCopy: CommandDefinition = {
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
    const { copyCheckpoints } = await import("../../checkpoint-store/copy/copy-checkpoints.js");
    try {
      const report = await withStores({ from, to, setup }, context, (source, target) =>
        runLongWork<CopyProgress, CopyProgress>(
          context,
          {
            what: dryRun ? "comparing" : "copying",
            total: ({ total }) => total,
            show: ({ read, total }) => [read, `${humanCount(read)} of ${counted(total, "checkpoint")}`],
            interrupted: describeInterrupt,
          },
          (onProgress) =>
            copyCheckpoints(source, target, { signal, dryRun, after: parsed.after, onProgress }),
        ),
      );
      return {
        exitCode: EXIT_CODE.ok,
        text: `${dryRun ? "would copy" : "copied"} ${describeCopy(report)}`,
        json: { ...report, dryRun },
      };
    } catch (error) {
      throw isCopyError(error) ? withHint(error) : error;
    }
  },
};

function describeCopy({ read, created, replaced, unchanged }: CopyProgress): string {
  return `${counted(read, "checkpoint")}: ${humanCount(created)} new, ${humanCount(replaced)} replaced, ${humanCount(unchanged)} unchanged`;
}

function describeInterrupt(soFar: CopyProgress | undefined): string {
  if (soFar === undefined) return "run the command again to continue";
  return `${humanCount(soFar.read)} of ${counted(soFar.total, "checkpoint")} are copied; ${hint(soFar)}`;
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
