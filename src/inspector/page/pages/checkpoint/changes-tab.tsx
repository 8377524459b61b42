import type { ChannelChange } from "../../../api/checkpoints.js";
import type { CheckpointPlace, ComparedCheckpoints } from "../../../api/places.js";
import { Failure, Loading } from "../../parts/read-state.js";
import { countText } from "../../parts/number-texts.js";
import { typed } from "../../parts/typed-text.js";
import { localTime } from "../../parts/time.js";
import { isChannelOfEngine, stepName } from "../../parts/words.js";
import { linkToCheckpoint, navigate, replaceRoute } from "../../routes/route.js";
import { useRead } from "../../server/use-read.js";
import { placeFromText, placeToText, type TabProps } from "./checkpoint-route.js";
import { ChangedChannel } from "./changed-channel.js";
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
        <p>No step was before this one.</p>
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
  readonly compared: ComparedCheckpoints;
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
  const changed = data.channels.filter(({ change }) => change !== "same");
  const own = changed.filter(isOwn);
  const differing = changed.filter((change) => !isOwn(change));
  return (
    <>
      <p>
        {isParent ? "From the step before" : "From "}
        {!isParent && <a href={linkToCheckpoint(compared.before)}>the chosen step</a>} to this one:{" "}
        {countText(differing.length, "value")} changed.
      </p>
      {differing.map((change, index) => (
        <ChangedChannel
          key={change.channel}
          {...{ compared, change }}
          isOpenAtFirst={change.channel === channel || (index < OPEN_AT_ONCE && isSmall(change))}
          onOpen={onOpen}
        />
      ))}
      {own.length > 0 && (
        <details class="unchanged">
          <summary>{countText(own.length, "change")} in what LangGraph keeps for itself</summary>
          {own.map((change) => (
            <ChangedChannel key={change.channel} {...{ compared, change, onOpen }} isOpenAtFirst={false} />
          ))}
        </details>
      )}
      {same.length > 0 && (
        <details class="unchanged">
          <summary>{countText(same.length, "value")} without changes</summary>
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

/** What a graph keeps for itself says nothing about what an agent has done. */
function isOwn({ channel }: ChannelChange): boolean {
  return isChannelOfEngine(channel);
}

function isSmall({ beforeBytes, afterBytes }: ChannelChange): boolean {
  return beforeBytes + afterBytes <= MAX_OPEN_BYTES;
}

interface ComparisonPickerProps {
  readonly place: CheckpointPlace;
  /** What is compared with now. */
  readonly other: CheckpointPlace | undefined;
  readonly onPick: (other: CheckpointPlace) => void;
}

/** Chooses the step to compare with, among the newest ones of the namespace. An address may name any other one. */
function ComparisonPicker({ place, other, onPick }: ComparisonPickerProps) {
  const { threadId, namespace } = place;
  const { data } = useRead("history", { threadId, namespace });
  const known = data?.points.filter(({ checkpointId }) => checkpointId !== place.checkpointId) ?? [];
  const isListed = known.some(({ checkpointId }) => checkpointId === other?.checkpointId);
  return (
    <p>
      <label>
        Compare with{" "}
        <select
          value={other?.checkpointId ?? ""}
          onChange={typed((checkpointId) => {
            onPick({ ...place, checkpointId });
          })}
        >
          {!isListed && (
            <option value={other?.checkpointId ?? ""}>{other?.checkpointId ?? "choose a step"}</option>
          )}
          {known.map((point) => (
            <option key={point.checkpointId} value={point.checkpointId}>
              {stepName(point)}, {localTime(point.createdAt)}
            </option>
          ))}
        </select>
      </label>
    </p>
  );
}
