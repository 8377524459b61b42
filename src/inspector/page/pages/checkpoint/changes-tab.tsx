import type { ChannelChange } from "../../../api/checkpoints.js";
import type { CheckpointPlace, ComparedCheckpoints } from "../../../api/places.js";
import { Failure, Loading } from "../../parts/read-state.js";
import { countText } from "../../parts/number-texts.js";
import { linkToCheckpoint, navigate, replaceRoute, parseRoute } from "../../routes/route.js";
import { useRead } from "../../server/use-read.js";
import { placeFromText, placeToText, type TabProps, checkpointRoute } from "./checkpoint-route.js";
import { ChangedChannel } from "./changed-channel.js";
import { useId, useState } from "preact/hooks";
import type { HistoryPoint } from "../../../api/threads.js";
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
  const differing = data.channels.filter(({ change }) => change !== "same");
  return (
    <>
      <p>
        From{" "}
        <a class="mono" href={linkToCheckpoint(compared.before)}>
          <bdi>{compared.before.checkpointId}</bdi>
        </a>
        {isParent && " (the parent)"} to this checkpoint: {countText(differing.length, "channel")} with
        changes.
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
          <summary>{countText(same.length, "channel")} without changes</summary>
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

interface ComparisonPickerProps {
  readonly place: CheckpointPlace;
  /** What is compared with now. */
  readonly other: CheckpointPlace | undefined;
  readonly onPick: (other: CheckpointPlace) => void;
}

/** Chooses the checkpoint to compare with: one of the namespace's history, or any other by its id or its address. */
function ComparisonPicker({ place, other, onPick }: ComparisonPickerProps) {
  const { threadId, namespace } = place;
  const { data } = useRead("history", { threadId, namespace });
  const [problem, setProblem] = useState("");
  const list = useId();
  return (
    <form
      class="comparison-picker"
      onSubmit={(event) => {
        event.preventDefault();
        const given = new FormData(event.currentTarget).get("other");
        const picked = typeof given === "string" ? readPlace(given.trim(), place) : undefined;
        setProblem(picked === undefined ? "That is no id or address of a checkpoint." : "");
        if (picked !== undefined) onPick(picked);
      }}
    >
      <label>
        Compare with{" "}
        <input
          key={other?.checkpointId}
          name="other"
          list={list}
          class="mono"
          defaultValue={other === undefined ? "" : textOf(other, place)}
          placeholder="id or address of a checkpoint"
          autocomplete="off"
          spellcheck={false}
        />
      </label>
      <datalist id={list}>
        {data?.points
          .filter(({ checkpointId }) => checkpointId !== place.checkpointId)
          .map((point) => (
            <option key={point.checkpointId} value={point.checkpointId} label={labelOf(point)} />
          ))}
      </datalist>
      <button type="submit">Compare</button>
      <span role="status" class="comparison-problem">
        {problem}
      </span>
    </form>
  );
}

function labelOf({ step, source, createdAt }: HistoryPoint): string {
  const named = step === undefined ? [] : [`step ${step}`];
  return [...named, source ?? "", new Date(createdAt).toISOString()]
    .filter((text) => text !== "")
    .join(" · ");
}

/** In the same namespace the id says enough. */
function textOf(other: CheckpointPlace, place: CheckpointPlace): string {
  const isNear = other.threadId === place.threadId && other.namespace === place.namespace;
  if (isNear) return other.checkpointId;
  return [other.threadId, other.namespace, other.checkpointId].map(encodeURIComponent).join("/");
}

function readPlace(text: string, place: CheckpointPlace): CheckpointPlace | undefined {
  const hash = /#\/checkpoint\/.*/.exec(text)?.[0];
  if (hash !== undefined) return checkpointRoute(parseRoute(hash))?.place;
  if (text.includes("/")) return placeFromText(text);
  return text === "" ? undefined : { ...place, checkpointId: text };
}
