import { useId, useState } from "preact/hooks";
import type { CheckpointPlace } from "../../../../api/places.js";
import type { HistoryPoint } from "../../../../api/threads.js";
import { parseRoute } from "../../../routes/route.js";
import { useRead } from "../../../server/use-read.js";
import { checkpointRoute, placeFromText } from "../checkpoint-route.js";

interface ComparisonPickerProps {
  readonly place: CheckpointPlace;
  /** What is compared with now. */
  readonly other: CheckpointPlace | undefined;
  readonly onPick: (other: CheckpointPlace) => void;
}

/** Chooses the checkpoint to compare with: one of the namespace's history, or any other by its id or its address. */
export function ComparisonPicker({ place, other, onPick }: ComparisonPickerProps) {
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
