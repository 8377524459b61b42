import { useEffect, useRef, useState } from "preact/hooks";
import type { ForkEdit } from "../../../api/changes.js";
import type { ChannelView } from "../../../api/checkpoints.js";
import type { CheckpointPlace } from "../../../api/places.js";
import { linkToCheckpoint, navigate } from "../../routes/route.js";
import { read } from "../../server/call-server.js";
import { useRead } from "../../server/use-read.js";
import { type Typed, typedJson } from "../json-text.js";
import { Failure } from "../read-state.js";
import { type Closing, FormDialog, useCheckedChange } from "./action-dialog.js";
import { CheckedValues } from "./checked-values.js";
import { JsonField } from "./fields.js";

type Texts = Readonly<Record<string, string>>;

/** Asks for the values of a new branch, and shows what would be stored before it is. */
export function ForkDialog({ place, onClose }: { readonly place: CheckpointPlace } & Closing) {
  const view = useRead("checkpoint", place);
  const [texts, setTexts] = useState<Texts>({});
  const { checked, sending, forget, send } = useCheckedChange(
    (request: ForkEdit) => read("checkFork", request),
    "fork",
    ({ checkpointId }) => {
      navigate(linkToCheckpoint({ ...place, checkpointId }));
    },
  );
  const edit = (changed: Texts): void => {
    setTexts(changed);
    // What was checked is not what would be stored any more.
    forget();
  };
  const parsed = Object.entries(texts).map(([channel, text]) => ({ channel, text, ...valueIn(text) }));
  const isReady = [...parsed, ...(checked?.values ?? [])].every(({ problem }) => problem === undefined);
  return (
    <FormDialog
      title="Fork this checkpoint"
      sentence={
        <>
          A new checkpoint that follows <bdi class="mono">{place.checkpointId}</bdi> starts a branch with the
          values that you edit; all other values and all other checkpoints stay.
        </>
      }
      submit={checked === undefined ? "Check" : "Create the checkpoint"}
      isReady={view.data !== undefined && isReady}
      sending={sending}
      onSubmit={(close) => {
        const values = Object.fromEntries(parsed.map(({ channel, value }) => [channel, value]));
        send({ ...place, values }, close);
      }}
      onClose={onClose}
    >
      {view.error !== null && <Failure error={view.error} onRetry={() => void view.refetch()} />}
      {view.data !== undefined && (
        <ChannelChoice channels={view.data.channels} texts={texts} onChange={edit} />
      )}
      {parsed.map(({ channel, text, problem }) => (
        <EditedValue
          key={channel}
          {...{ place, channel, text, problem }}
          onChange={(changed) => {
            edit({ ...texts, [channel]: changed });
          }}
        />
      ))}
      <div role="status">{checked !== undefined && <CheckedValues values={checked.values} />}</div>
    </FormDialog>
  );
}

function valueIn(text: string): Typed<unknown> {
  if (text.trim() === "") return { problem: 'Give a value as JSON, such as "text", 1 or null.' };
  return typedJson(text);
}

/** What LangGraph keeps for itself: editing it would break the run. */
const INTERNAL = /^(?:__|branch:)/;

interface ChannelChoiceProps {
  readonly channels: readonly ChannelView[];
  /** What has been typed, by chosen channel. */
  readonly texts: Texts;
  readonly onChange: (texts: Texts) => void;
}

/** Asks which channels get another value. */
function ChannelChoice({ channels, texts, onChange }: ChannelChoiceProps) {
  const offered = channels.filter(({ channel }) => !INTERNAL.test(channel));
  if (offered.length === 0) return <p>The checkpoint has no values to edit.</p>;
  return (
    <fieldset class="fork-channels">
      <legend>Values to edit</legend>
      {offered.map(({ channel }) => (
        <label key={channel}>
          <input
            type="checkbox"
            checked={Object.hasOwn(texts, channel)}
            onChange={({ currentTarget }) => {
              const { [channel]: _, ...others } = texts;
              onChange(currentTarget.checked ? { ...texts, [channel]: "" } : others);
            }}
          />
          <bdi>{channel}</bdi>
        </label>
      ))}
    </fieldset>
  );
}

interface EditedValueProps {
  readonly place: CheckpointPlace;
  readonly channel: string;
  readonly text: string;
  /** Why the text can't be used. */
  readonly problem: string | undefined;
  readonly onChange: (text: string) => void;
}

/** Asks for the value of a channel as JSON. It begins with the stored value, if JSON can show it. */
function EditedValue({ place, channel, text, problem, onChange }: EditedValueProps) {
  const { data, error } = useRead("editableValue", { ...place, channel });
  const isFilled = useRef(false);
  useEffect(() => {
    if (data === undefined || isFilled.current) return;
    isFilled.current = true;
    if (text === "" && data.json !== undefined) onChange(data.json);
  }, [data, text, onChange]);
  const label = (
    <>
      New value of <bdi>{channel}</bdi>, as JSON
    </>
  );
  return (
    <>
      <JsonField
        {...{ label, text, onChange }}
        problem={data?.problem ?? (data === undefined ? undefined : problem)}
        isDisabled={data === undefined && error === null}
      />
      {error !== null && <Failure error={error} />}
    </>
  );
}
