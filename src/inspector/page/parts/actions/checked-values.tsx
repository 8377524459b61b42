import { ColumnHeads } from "../column-heads.js";
import type { CheckedValue } from "../../../api/changes.js";
import type { ValueNode } from "../../../api/value-node.js";

/** Shows what a fork would store. */
export function CheckedValues({ values }: { readonly values: readonly CheckedValue[] }) {
  if (values.length === 0) return <p>The new checkpoint has the same values.</p>;
  return (
    <table class="fork-checked">
      <caption class="sr-only">What the new checkpoint changes</caption>
      <ColumnHeads titles={["Channel", "Before", "After"]} />
      <tbody>
        {values.map((value) => (
          <CheckedRow key={value.channel} value={value} />
        ))}
      </tbody>
    </table>
  );
}

function CheckedRow({
  value: { channel, before, after, problem, isNewChannel },
}: {
  readonly value: CheckedValue;
}) {
  return (
    <tr>
      <th scope="row">
        <bdi>{channel}</bdi>
        {isNewChannel && <p class="dim">No checkpoint has had this channel. The graph may ignore it.</p>}
      </th>
      <td class="fork-before">
        <Shown node={before} />
      </td>
      {problem === undefined ? (
        <td class="fork-after">
          <Shown node={after} />
        </td>
      ) : (
        <td class="fork-problem">
          <bdi>{problem}</bdi>
        </td>
      )}
    </tr>
  );
}

function Shown({ node }: { readonly node: ValueNode | undefined }) {
  if (node === undefined) return <span class="dim">nothing</span>;
  return (
    <>
      <span class="dim">{node.className ?? node.type}</span> <bdi class="mono">{node.text}</bdi>
      {node.isCut && <span class="dim"> …</span>}
    </>
  );
}
