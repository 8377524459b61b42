import type { CommandDefinition } from "../command-definition.js";
import { threadArgument, namespaceOption, threadFlags } from "../arguments.js";
import { notFound } from "../checkpoint-reference.js";
import { drawHistory } from "../draw-history.js";
import { EXIT_CODE } from "../exit-code.js";
import { formatTable } from "../format-table.js";
import { humanCount } from "../format-values.js";
import { type NamespaceCount, namespacesOf } from "../namespaces-of.js";
import { printable } from "../printable.js";

/** `show`. */
export const show: CommandDefinition = {
  name: "show",
  group: "Look",
  summary: "draw the checkpoints of a thread as a tree, with its branches",
  args: () => [threadArgument()],
  options: () => [namespaceOption()],
  examples: ["show 42", "show 42 --namespace 'research:1' --json"],
  run: async (context, flags) => {
    const { saver, style, signal, terminal } = context;
    const { thread, namespace } = threadFlags.parse(flags);
    const history = await saver.history(thread, { checkpointNs: namespace, signal });
    const namespaces = await namespacesOf(context, thread);
    if (history.head === undefined && namespaces.length === 0) throw notFound(thread, namespace);
    const others = namespaces.filter((one) => one.namespace !== namespace);
    const place = namespace === "" ? "" : `, namespace ${printable(namespace)}`;
    const tree = drawHistory(history, style, terminal.columns);
    const text = [
      `thread ${printable(thread)}${place}`,
      tree.length === 0 ? "no checkpoints in this namespace" : tree.join("\n"),
      ...(others.length === 0 ? [] : [formatOthers(others)]),
    ].join("\n\n");
    const exitCode = history.head === undefined ? EXIT_CODE.no : EXIT_CODE.ok;
    return { exitCode, text, json: { ...history, namespaces } };
  },
};

function formatOthers(others: readonly NamespaceCount[]): string {
  const rows = others.map(({ namespace, checkpoints }) => [
    namespace === "" ? "(root)" : printable(namespace),
    humanCount(checkpoints),
  ]);
  return formatTable([["OTHER NAMESPACES", "CHECKPOINTS"], ...rows], { numbers: [1] });
}
