import { z } from "zod";
import type {
  CheckpointProblem,
  VerifyCheckpointsProgress,
  VerifyCheckpointsReport,
} from "../../checkpoint-store/model/verify-types.js";
import { parseStoreLocation, storeOptions } from "../checkpoint-stores/store-url.js";
import type { CommandDefinition } from "../command-definition.js";
import { runLongWork } from "../run/long-work.js";
import { EXIT_CODE } from "../exit-code.js";
import { counted } from "../output/format-numbers.js";
import { formatTable } from "../output/format-table.js";
import { printable } from "../output/printable.js";
import type { Style } from "../output/style.js";

const name = z.string().optional();
const storeVerifyFlags = z.object({
  store: z.string(),
  ...{ storeSchema: name, storeTable: name, storePrefix: name },
});

export const storeVerify: CommandDefinition = {
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
          show: (state) => [0, describe(state)],
          interrupted: (last) => (last === undefined ? "nothing was checked" : `checked ${describe(last)}`),
        },
        (onProgress) => store.verify({ signal, onProgress }),
      ),
    );
    const exitCode = report.problems.length > 0 ? EXIT_CODE.no : EXIT_CODE.ok;
    return { exitCode, text: textOf(report, style, terminal.columns), json: report };
  },
};

function describe({ checkpoints, problems }: VerifyCheckpointsProgress): string {
  return `${counted(checkpoints, "checkpoint")}, ${counted(problems, "problem")}`;
}

function textOf(
  { checkpoints, problems }: VerifyCheckpointsReport,
  style: Style,
  width: number | undefined,
): string {
  const outcome =
    problems.length === 0
      ? style.good("everything can be read")
      : style.bad(counted(problems.length, "problem"));
  const end = `checked ${counted(checkpoints, "checkpoint")}: ${outcome}`;
  return problems.length === 0 ? end : `${tableOf(problems, width)}\n\n${end}`;
}

function tableOf(problems: readonly CheckpointProblem[], width: number | undefined): string {
  const rows = problems.map(({ code, message }) => [code, printable(message)]);
  return formatTable([["CODE", "PROBLEM"], ...rows], { text: 1, width });
}
