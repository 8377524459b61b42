import { ColumnHeads } from "../column-heads.js";
import type { CheckedValue } from "../../../api/changes.js";
import type { ValueNode } from "../../../api/value-node.js";
import { channelName, isChannelOfEngine } from "../words.js";

/** Shows what an update would store. */
export function CheckedValues({ values }: { readonly values: readonly CheckedValue[] }) {
  const shown = values.filter(({ channel }) => !isChannelOfEngine(channel));
  if (shown.length === 0) return <p>The new step has the same values.</p>;
  return (
    <table class="fork-checked">
      <caption class="sr-only">What the new step changes</caption>
      <ColumnHeads titles={["Value", "Before", "After"]} />
      <tbody>
        {shown.map((value) => (
          <CheckedRow key={value.channel} value={value} />
        ))}
      </tbody>
    </table>
  );
}

function CheckedRow({ value: { channel, before, after } }: { readonly value: CheckedValue }) {
  return (
    <tr>
      <th scope="row">
        <bdi>{channelName(channel)}</bdi>
      </th>
      <td class="fork-before">
        <Shown node={before} />
      </td>
      <td class="fork-after">
        <Shown node={after} />
      </td>
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
