import { ColumnHeads } from "../../parts/column-heads.js";
import type { ChannelView } from "../../../api/checkpoints.js";
import { formatBytes } from "../../parts/number-texts.js";
import { Preview } from "../../parts/value-tree/value-texts.js";
import { useMedia } from "../../parts/use-media.js";
import { AddressedTree } from "../../parts/value-tree/value-tree.js";
import type { TabProps } from "./checkpoint-route.js";

/** Every channel of a checkpoint. One of them is open, as the address says. */
export function ChannelsTab({ route, view }: TabProps) {
  const isWide = useMedia("(min-width: 48rem)");
  if (view.channels.length === 0) return <p>The checkpoint has no channels.</p>;
  return (
    <table class="channels">
      <ColumnHeads
        titles={["Channel", ...(isWide ? ["Value"] : []), "Version", "Stored as", "Bytes", "New"]}
      />
      <tbody>
        {view.channels.map((channel) => (
          <ChannelRow key={channel.channel} {...{ channel, route, isWide }} />
        ))}
      </tbody>
    </table>
  );
}

interface ChannelRowProps extends Pick<TabProps, "route"> {
  readonly channel: ChannelView;
  /** Whether the table has a column of values. */
  readonly isWide: boolean;
}

function ChannelRow({ channel: view, isWide, route }: ChannelRowProps) {
  const { place, params, linkToTab } = route;
  const { channel, version, storage, bytes, isNew, preview } = view;
  const isOpen = params.get("channel") === channel;
  const hasValue = storage !== "empty";
  return (
    <>
      <tr class={isOpen ? "is-open" : undefined}>
        <th scope="row">
          {hasValue ? (
            <a href={linkToTab("channels", isOpen ? {} : { channel })} aria-expanded={isOpen}>
              <bdi class="mono">{channel}</bdi>
            </a>
          ) : (
            <bdi class="mono">{channel}</bdi>
          )}
        </th>
        {isWide && <td>{preview !== undefined && <Preview value={preview} />}</td>}
        <td title={String(version)}>{shortVersion(version)}</td>
        <td>{storage}</td>
        <td>{hasValue && formatBytes(bytes)}</td>
        <td>{isNew && "new"}</td>
      </tr>
      {isOpen && hasValue && (
        <tr>
          <td colSpan={isWide ? 6 : 5}>
            <AddressedTree
              label={channel}
              place={{ kind: "channel", channel, ...place }}
              path={params.get("path")}
              linkTo={(path) => linkToTab("channels", { channel, path })}
            />
          </td>
        </tr>
      )}
    </>
  );
}

/** The count of a version such as `00000000000000000000000000000012.0.5403`, of which the rest only makes it unique. */
function shortVersion(version: string | number): string {
  return /^0*(\d+)\.\d/.exec(String(version))?.[1] ?? String(version);
}
