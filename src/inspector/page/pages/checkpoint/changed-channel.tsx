import { useId, useState } from "preact/hooks";
import type { ChannelChange, PartChange } from "../../../api/checkpoints.js";
import { Failure, Loading } from "../../parts/read-state.js";
import { formatBytes, formatCount } from "../../parts/number-texts.js";
import { useRead } from "../../server/use-read.js";
import type { CheckpointPlace, ComparedCheckpoints } from "../../../api/places.js";
import type { ValueNode } from "../../../api/value-node.js";
import { describeType, hasChildren } from "../../parts/value-tree/value-texts.js";
import { ValueTree } from "../../parts/value-tree/value-tree.js";
import { roleOfClass } from "../../parts/words.js";
import { linkToCheckpoint } from "../../routes/route.js";
import type { ChangeObject } from "diff";
import { diffLines } from "diff/lib/diff/line.js";
import { diffWordsWithSpace } from "diff/lib/diff/word.js";

/** How many changes are read at first, and by each further step. */
const PAGE = 50;
/** The most changes that the server lists. */
const MAX = 500;

interface ChannelChangeProps {
  readonly compared: ComparedCheckpoints;
  readonly change: ChannelChange;
  readonly isOpenAtFirst: boolean;
  /** Called when a person opens the channel. */
  readonly onOpen: (channel: string) => void;
}

const MARKS = { added: "+", removed: "−", changed: "±", same: "=" } as const;

/** A channel that differs, which opens to its parts that differ. */
export function ChangedChannel({ compared, change: view, isOpenAtFirst, onOpen }: ChannelChangeProps) {
  const [isOpen, setOpen] = useState(isOpenAtFirst);
  const panel = useId();
  const { channel, change, beforeBytes, afterBytes } = view;
  return (
    <section class="changed-channel">
      <h2>
        <button
          type="button"
          aria-expanded={isOpen}
          aria-controls={isOpen ? panel : undefined}
          onClick={() => {
            setOpen(!isOpen);
            if (!isOpen) onOpen(channel);
          }}
        >
          <span aria-hidden="true">{isOpen ? "▾" : "▸"}</span>
          <span class={`change-mark change-${change}`}>
            {MARKS[change]} {change}
          </span>
          <bdi class="mono">{channel}</bdi>
          <span class="dim">
            {formatBytes(beforeBytes)} → {formatBytes(afterBytes)}
          </span>
        </button>
      </h2>
      {isOpen && (
        <div id={panel}>
          <Parts compared={compared} channel={channel} />
        </div>
      )}
    </section>
  );
}

function Parts({ compared, channel }: { readonly compared: ComparedCheckpoints; readonly channel: string }) {
  const [limit, setLimit] = useState(PAGE);
  const { data, error, refetch } = useRead("compareChannel", { ...compared, channel, limit });
  if (error !== null) return <Failure error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return <Loading what="the changes" />;
  if (data.changes.length === 0) return <p class="dim">The versions differ, and the values are equal.</p>;
  return (
    <>
      <PartChanges {...{ compared, channel }} changes={data.changes} />
      {data.omitted > 0 && limit < MAX && (
        <button
          type="button"
          onClick={() => {
            setLimit(Math.min(MAX, limit + PAGE));
          }}
        >
          Show more changes ({formatCount(data.omitted)} left)
        </button>
      )}
    </>
  );
}

interface PartChangesProps {
  readonly changes: readonly PartChange[];
  readonly compared: ComparedCheckpoints;
  readonly channel: string;
}

/** The parts of a value that differ, each with both sides beside each other. */
function PartChanges({ changes, compared, channel }: PartChangesProps) {
  return (
    <ul class="part-changes">
      {changes.map((change) => (
        <li key={change.label}>
          <p class="part-label">
            <bdi class="mono">{labelOf(change)}</bdi>
          </p>
          {change.skipped !== undefined && (
            <p class="dim">The first {formatCount(change.skipped)} characters are alike.</p>
          )}
          <Sides {...{ change, compared, channel }} />
        </li>
      ))}
    </ul>
  );
}

/** Names a part of a value: a message by its number, as the conversation does, and others by their path. */
function labelOf({ label, before, after }: PartChange): string {
  const role = roleOfClass(after?.className ?? before?.className);
  const position = /^\[(\d+)\]$/.exec(label)?.[1];
  if (role !== undefined && position !== undefined) return `Message ${Number(position) + 1}, ${role}`;
  return label === "" ? "the whole value" : label;
}

interface SidesProps extends Omit<PartChangesProps, "changes"> {
  readonly change: PartChange;
}

const SIDES = [
  ["before", "−", "Before"],
  ["after", "+", "After"],
] as const;

function Sides({ change, compared, channel }: SidesProps) {
  const { label, before, after } = change;
  const isWhole = label === "";
  const pieces =
    before?.type === "string" && after?.type === "string" ? diffText(before.text, after.text) : undefined;
  return (
    <div class="sides">
      {SIDES.map(([kind, mark, title]) => (
        <Side
          key={kind}
          {...{ kind, mark, title, pieces, channel, isWhole }}
          value={change[kind]}
          place={compared[kind]}
        />
      ))}
    </div>
  );
}

interface SideProps {
  readonly mark: string;
  readonly title: string;
  readonly kind: "before" | "after";
  readonly value: ValueNode | undefined;
  readonly pieces: readonly TextPiece[] | undefined;
  readonly place: CheckpointPlace;
  readonly channel: string;
  /** Whether the value is the whole one of the channel. */
  readonly isWhole: boolean;
}

function Side({ mark, title, kind, value, pieces, place, channel, isWhole }: SideProps) {
  return (
    <div class={`side side-${kind}`}>
      <p class="side-head">
        <span class="mono">{mark}</span> {title}
        {value !== undefined && roleOfClass(value.className) === undefined && (
          <span class="value-type">{describeType(value)}</span>
        )}
        {value?.isCut === true && !isWhole && (
          <a href={linkToCheckpoint(place, { tab: "channels", channel })}>Open the channel</a>
        )}
      </p>
      {value === undefined ? (
        <p class="dim">Not there</p>
      ) : isWhole && hasChildren(value) ? (
        <ValueTree label={channel} place={{ kind: "channel", channel, ...place }} />
      ) : (
        <pre class="long-text">
          <bdi>
            {pieces === undefined
              ? value.text
              : pieces.map((piece, index) => <Piece key={index} {...{ piece, kind }} />)}
          </bdi>
          {value.isCut && value.type === "string" && "…"}
        </pre>
      )}
    </div>
  );
}

function Piece({ piece: { text, kind: of }, kind }: { readonly piece: TextPiece; readonly kind: string }) {
  if (of === "both") return <>{text}</>;
  if (of !== kind) return null;
  return of === "before" ? <del>{text}</del> : <ins>{text}</ins>;
}

/** A piece of two texts. */
interface TextPiece {
  readonly text: string;
  readonly kind: "both" | "before" | "after";
}

/** Texts above this are compared by lines. */
const MAX_WORDS_LENGTH = 5_000;
/** Texts above this are not compared. */
const MAX_LENGTH = 200_000;
/** How long a comparison may take, in milliseconds. */
const TIMEOUT = 200;

/** Compares two texts. Returns `undefined` where that would take too long. */
function diffText(before: string, after: string): readonly TextPiece[] | undefined {
  const length = before.length + after.length;
  if (length > MAX_LENGTH) return undefined;
  const options = { timeout: TIMEOUT };
  const pieces =
    length > MAX_WORDS_LENGTH
      ? diffLines(before, after, options)
      : diffWordsWithSpace(before, after, options);
  return pieces?.map(pieceOf);
}

function pieceOf({ value, added, removed }: ChangeObject<string>): TextPiece {
  return { text: value, kind: added ? "after" : removed ? "before" : "both" };
}
