import { z } from "zod";
import type { NamespaceCount } from "../../threads/queries/count-checkpoints.js";
import { notFound } from "../checkpoints/resolve-checkpoint.js";
import type { CommandDefinition } from "../command-definition.js";
import { EXIT_CODE } from "../exit-code.js";
import { countOption } from "../options/option-values.js";
import { namespaceOption, threadArgument, threadFlags } from "../options/shared-options.js";
import { drawHistory } from "../output/draw-history.js";
import { counted, humanCount } from "../output/format-numbers.js";
import { formatTable } from "../output/format-table.js";
import { printable } from "../output/printable.js";

const DEFAULT_LIMIT = 100;
const showFlags = threadFlags.extend({ limit: z.number().default(DEFAULT_LIMIT) });

export const show: CommandDefinition = {
  name: "show",
  group: "Inspect",
  summary: "draw the checkpoints of a thread as a tree, with its branches",
  args: () => [threadArgument()],
  options: () => [
    namespaceOption(),
    countOption("--limit <n>", `how many checkpoints, newest first (default: ${DEFAULT_LIMIT})`, 1),
  ],
  examples: ["show 42", "show 42 --limit 1000", "show 42 --namespace 'research:1' --json"],
  run: async (context, flags) => {
    const { style, tables, terminal } = context;
    const { thread, namespace, limit } = showFlags.parse(flags);
    const { history: readHistory } = await import("../../threads/history.js");
    const { parseHistory } = await import("../../threads/boundary/parse-history.js");
    const { countCheckpoints } = await import("../../threads/queries/count-checkpoints.js");
    const history = await readHistory(tables, parseHistory(thread, { checkpointNs: namespace }), limit);
    const namespaces = await countCheckpoints(tables, thread);
    if (history.head === undefined && namespaces.length === 0) throw notFound(thread, namespace);
    const others = namespaces.filter((one) => one.namespace !== namespace);
    const stored = namespaces.find((one) => one.namespace === namespace)?.checkpoints ?? 0;
    const omitted = Math.max(0, stored - limit);
    const place = namespace === "" ? "" : `, namespace ${printable(namespace)}`;
    const tree = drawHistory(history, style, terminal.columns);
    const text = [
      `thread ${printable(thread)}${place}`,
      tree.length === 0 ? "no checkpoints in this namespace" : tree.join("\n"),
      ...(omitted === 0
        ? []
        : [style.dim(`omitted ${counted(omitted, "older checkpoint")}; --limit sets how many are shown`)]),
      ...(others.length === 0 ? [] : [formatOthers(others, terminal.columns)]),
    ].join("\n\n");
    const exitCode = history.head === undefined ? EXIT_CODE.no : EXIT_CODE.ok;
    return { exitCode, text, json: { ...history, omitted, namespaces } };
  },
};

function formatOthers(others: readonly NamespaceCount[], width: number | undefined): string {
  const rows = others.map(({ namespace, checkpoints }) => [
    namespace === "" ? "(root)" : printable(namespace),
    humanCount(checkpoints),
  ]);
  return formatTable([["OTHER NAMESPACES", "CHECKPOINTS"], ...rows], { numbers: [1], width });
}
