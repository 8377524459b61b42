import type { NamespaceSummary } from "../../../api/threads.js";
import { counted } from "../../parts/number-texts.js";
import { isolated } from "../../shell/page-title.js";

interface NamespaceChoiceProps {
  readonly namespaces: readonly NamespaceSummary[];
  /** How many namespaces there are besides. */
  readonly omitted: number;
  readonly chosen: string;
  readonly onChoose: (namespace: string) => void;
}

/** Lets the person choose the root graph or a run of a subgraph. Runs are grouped by the node that started them. */
export function NamespaceChoice({ namespaces, omitted, chosen, onChoose }: NamespaceChoiceProps) {
  const groups = groupByNode(namespaces);
  return (
    <label class="namespace-choice">
      <span class="dim">Namespace</span>
      <select
        value={chosen}
        onChange={({ currentTarget }) => {
          onChoose(currentTarget.value);
        }}
      >
        {[...groups].map(([node, members]) =>
          node === "" ? (
            members.map((summary) => <Namespace key={summary.namespace} summary={summary} />)
          ) : (
            <optgroup key={node} label={`Subgraph ${isolated(node)}`}>
              {members.map((summary) => (
                <Namespace key={summary.namespace} summary={summary} />
              ))}
            </optgroup>
          ),
        )}
        {omitted > 0 && <option disabled>and {counted(omitted, "namespace")} more</option>}
      </select>
    </label>
  );
}

function Namespace({ summary }: { readonly summary: NamespaceSummary }) {
  const { namespace, checkpoints, status } = summary;
  const name = namespace === "" ? "root graph" : isolated(namespace);
  return (
    <option value={namespace}>
      {name} · {counted(checkpoints, "checkpoint")} · {status}
    </option>
  );
}

function groupByNode(
  namespaces: readonly NamespaceSummary[],
): ReadonlyMap<string, readonly NamespaceSummary[]> {
  const groups = new Map<string, NamespaceSummary[]>();
  for (const summary of namespaces) {
    const node = nodeOf(summary.namespace);
    const members = groups.get(node);
    if (members === undefined) groups.set(node, [summary]);
    else members.push(summary);
  }
  return groups;
}

/** A namespace is a path such as `node:task|node:task`. */
function nodeOf(namespace: string): string {
  return namespace.split(/[:|]/, 1)[0] ?? "";
}
