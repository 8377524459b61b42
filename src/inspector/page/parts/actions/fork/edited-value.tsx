import { useEffect, useId, useRef } from "preact/hooks";
import type { CheckpointPlace } from "../../../../api/places.js";
import { useRead } from "../../../server/use-read.js";
import { Failure } from "../../failure.js";

interface EditedValueProps {
  readonly place: CheckpointPlace;
  readonly channel: string;
  readonly text: string;
  /** Why the text can't be used. */
  readonly problem: string | undefined;
  readonly onChange: (text: string) => void;
}

/** Asks for the value of a channel as JSON. It begins with the stored value, if JSON can show it. */
export function EditedValue({ place, channel, text, problem, onChange }: EditedValueProps) {
  const { data, error } = useRead("editableValue", { ...place, channel });
  const isFilled = useRef(false);
  const id = useId();
  useEffect(() => {
    if (data === undefined || isFilled.current) return;
    isFilled.current = true;
    if (text === "" && data.json !== undefined) onChange(data.json);
  }, [data, text, onChange]);
  const hint = data?.problem ?? (data === undefined ? undefined : problem);
  return (
    <div class="action-field">
      <label for={`${id}-text`}>
        New value of <bdi>{channel}</bdi>, as JSON
      </label>
      <textarea
        id={`${id}-text`}
        class="mono"
        rows={Math.min(16, Math.max(2, text.split("\n").length))}
        spellcheck={false}
        disabled={data === undefined && error === null}
        aria-invalid={data !== undefined && problem !== undefined}
        aria-describedby={`${id}-hint`}
        value={text}
        onInput={({ currentTarget }) => {
          onChange(currentTarget.value);
        }}
      />
      <span id={`${id}-hint`} class="fork-problem" role="status">
        {hint}
      </span>
      {error !== null && <Failure error={error} />}
    </div>
  );
}
