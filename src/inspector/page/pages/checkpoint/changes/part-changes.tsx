import type { PartChange } from "../../../../api/checkpoints.js";
import type { CheckpointPlace } from "../../../../api/places.js";
import type { ValueNode } from "../../../../api/value-node.js";
import { describeType, hasChildren } from "../../../parts/value-tree/path-text.js";
import { ValueTree } from "../../../parts/value-tree/value-tree.js";
import { formatCount } from "../../../parts/number-texts.js";
import { linkToCheckpoint } from "../../../routes/route.js";
import type { Compared } from "./compared.js";
import { diffText, type TextPiece } from "./diff-text.js";

interface PartChangesProps {
  readonly changes: readonly PartChange[];
  readonly compared: Compared;
  readonly channel: string;
}

/** The parts of a value that differ, each with both sides beside each other. */
export function PartChanges({ changes, compared, channel }: PartChangesProps) {
  return (
    <ul class="part-changes">
      {changes.map((change) => (
        <li key={change.label}>
          <p class="part-label">
            <bdi class="mono">{change.label === "" ? "the whole value" : change.label}</bdi>
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

interface SidesProps extends Omit<PartChangesProps, "changes"> {
  readonly change: PartChange;
}

function Sides({ change: { label, before, after }, compared, channel }: SidesProps) {
  const isWhole = label === "";
  const pieces =
    before?.type === "string" && after?.type === "string" ? diffText(before.text, after.text) : undefined;
  return (
    <div class="sides">
      <Side
        mark="−"
        title="Before"
        kind="before"
        value={before}
        {...{ pieces, channel, isWhole }}
        place={compared.before}
      />
      <Side
        mark="+"
        title="After"
        kind="after"
        value={after}
        {...{ pieces, channel, isWhole }}
        place={compared.after}
      />
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
        {value !== undefined && <span class="value-type">{describeType(value)}</span>}
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
