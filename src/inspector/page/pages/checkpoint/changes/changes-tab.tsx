import type { ChannelChange } from "../../../../api/checkpoints.js";
import type { CheckpointPlace } from "../../../../api/places.js";
import { Failure } from "../../../parts/failure.js";
import { Loading } from "../../../parts/loading.js";
import { counted } from "../../../parts/number-texts.js";
import { linkToCheckpoint } from "../../../routes/route.js";
import { navigate, replaceRoute } from "../../../routes/use-route.js";
import { useRead } from "../../../server/use-read.js";
import { placeFromText, placeToText } from "../checkpoint-route.js";
import type { TabProps } from "../tab-props.js";
import { ChangedChannel } from "./channel-change.js";
import type { Compared } from "./compared.js";
import { ComparisonPicker } from "./comparison-picker.js";
import "./changes.css";

/** How many channels are open without being asked for, and how large they may be. */
const OPEN_AT_ONCE = 5;
const MAX_OPEN_BYTES = 100_000;

/** What differs between a checkpoint and its parent, or another one. */
export function ChangesTab({ route: { place, params, linkToTab }, view: { parentId } }: TabProps) {
  const parent = parentId === undefined ? undefined : { ...place, checkpointId: parentId };
  const other = placeFromText(params.get("with")) ?? parent;
  const linkWith = (before: CheckpointPlace, channel?: string): string =>
    linkToTab("changes", { with: isSame(before, parent) ? undefined : placeToText(before), channel });
  return (
    <>
      <ComparisonPicker
        place={place}
        other={other}
        onPick={(picked) => {
          navigate(linkWith(picked));
        }}
      />
      {other === undefined ? (
        <p>The checkpoint has no parent. Choose a checkpoint to compare with.</p>
      ) : (
        <ComparedChannels
          key={placeToText(other)}
          compared={{ before: other, after: place }}
          isParent={isSame(other, parent)}
          channel={params.get("channel")}
          onOpen={(channel) => {
            replaceRoute(linkWith(other, channel));
          }}
        />
      )}
    </>
  );
}

function isSame(left: CheckpointPlace, right: CheckpointPlace | undefined): boolean {
  return right !== undefined && placeToText(left) === placeToText(right);
}

interface ComparedChannelsProps {
  readonly compared: Compared;
  readonly isParent: boolean;
  /** The channel that the address names. */
  readonly channel: string | null;
  readonly onOpen: (channel: string) => void;
}

function ComparedChannels({ compared, isParent, channel, onOpen }: ComparedChannelsProps) {
  const { data, error, refetch } = useRead("compare", compared);
  if (error !== null) return <Failure error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return <Loading what="the comparison" />;
  const same = data.channels.filter(({ change }) => change === "same");
  const differing = data.channels.filter(({ change }) => change !== "same");
  return (
    <>
      <p>
        From{" "}
        <a class="mono" href={linkToCheckpoint(compared.before)}>
          <bdi>{compared.before.checkpointId}</bdi>
        </a>
        {isParent && " (the parent)"} to this checkpoint: {counted(differing.length, "channel")} with changes.
      </p>
      {differing.map((change, index) => (
        <ChangedChannel
          key={change.channel}
          compared={compared}
          change={change}
          isOpenAtFirst={change.channel === channel || (index < OPEN_AT_ONCE && isSmall(change))}
          onOpen={() => {
            onOpen(change.channel);
          }}
        />
      ))}
      {same.length > 0 && (
        <details class="unchanged">
          <summary>{counted(same.length, "channel")} without changes</summary>
          <ul>
            {same.map(({ channel: name }) => (
              <li key={name}>
                <bdi class="mono">{name}</bdi>
              </li>
            ))}
          </ul>
        </details>
      )}
    </>
  );
}

function isSmall({ beforeBytes, afterBytes }: ChannelChange): boolean {
  return beforeBytes + afterBytes <= MAX_OPEN_BYTES;
}
