import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { ChannelView } from "../../../api/checkpoints.js";
import type { CheckpointPlace } from "../../../api/places.js";
import { useRead } from "../../server/use-read.js";
import { type Typed, typedJson } from "../json-text.js";
import { Failure } from "../read-state.js";
import { channelName, isChannelOfEngine } from "../words.js";
import { JsonField } from "./fields.js";
import { MessagesField, textMessagesIn } from "./messages-field.js";

/** What a person has typed, by chosen channel. */
export type Texts = Readonly<Record<string, string>>;

/** Reads the values that a person has typed. */
export function typedValues(texts: Texts): {
  readonly values: Readonly<Record<string, unknown>>;
  readonly isValid: boolean;
} {
  const all = Object.entries(texts).map(([channel, text]) => [channel, valueIn(text)] as const);
  return {
    values: Object.fromEntries(all.map(([channel, { value }]) => [channel, value])),
    isValid: all.every(([, { problem }]) => problem === undefined),
  };
}

function valueIn(text: string): Typed<unknown> {
  if (text.trim() === "") return { problem: 'Give a value as JSON, such as "text", 1 or null.' };
  return typedJson(text);
}

interface ValuesToEditProps {
  readonly place: CheckpointPlace;
  readonly stored: readonly ChannelView[];
  /** The channels of the graph, which may have no value yet. */
  readonly ofGraph: readonly string[];
  readonly texts: Texts;
  readonly onChange: (texts: Texts) => void;
}

/** Asks which values change, and for the new ones. */
export function ValuesToEdit({ place, stored, ofGraph, texts, onChange }: ValuesToEditProps) {
  const previews = new Map(stored.map(({ channel, preview }) => [channel, preview?.text]));
  const offered = [...new Set([...previews.keys(), ...ofGraph])].filter(
    (channel) => !isChannelOfEngine(channel),
  );
  if (offered.length === 0) return <p>The step has no values.</p>;
  return (
    <fieldset class="fork-channels">
      <legend>Values to change</legend>
      {offered.map((channel) => {
        const text = Object.hasOwn(texts, channel) ? texts[channel] : undefined;
        return (
          <div key={channel}>
            <label>
              <input
                type="checkbox"
                checked={text !== undefined}
                onChange={({ currentTarget }) => {
                  const { [channel]: _, ...others } = texts;
                  onChange(currentTarget.checked ? { ...texts, [channel]: "" } : others);
                }}
              />
              <bdi>{channelName(channel)}</bdi>
            </label>
            {text === undefined ? (
              <bdi class="mono dim fork-preview">{previews.get(channel)}</bdi>
            ) : (
              <EditedValue
                {...{ place, channel, text }}
                isStored={previews.has(channel)}
                onChange={(changed) => {
                  onChange({ ...texts, [channel]: changed });
                }}
              />
            )}
          </div>
        );
      })}
    </fieldset>
  );
}

interface EditedValueProps {
  readonly place: CheckpointPlace;
  readonly channel: string;
  readonly text: string;
  /** Whether the step has such a value. */
  readonly isStored: boolean;
  readonly onChange: (text: string) => void;
}

/** Asks for a value as JSON. It begins with the stored value, if JSON can show it. */
function EditedValue({ place, channel, text, isStored, onChange }: EditedValueProps) {
  const { data, error } = useRead("editableValue", { ...place, channel }, { enabled: isStored });
  const [isJson, setJson] = useState(false);
  const isReading = isStored && data === undefined;
  const { problem } = valueIn(text);
  const isFilled = useRef(false);
  // Before a person can type into the field.
  useLayoutEffect(() => {
    if (data === undefined || isFilled.current) return;
    isFilled.current = true;
    if (text === "" && data.json !== undefined) onChange(data.json);
  }, [data, text, onChange]);
  const label = (
    <>
      New value of <bdi>{channelName(channel)}</bdi>, as JSON
    </>
  );
  const messages = isJson ? undefined : textMessagesIn(text);
  return (
    <>
      {messages === undefined ? (
        <JsonField
          {...{ label, text, onChange }}
          problem={data?.problem ?? (isReading ? undefined : problem)}
          isDisabled={isReading && error === null}
        />
      ) : (
        <MessagesField {...{ messages, onChange }} />
      )}
      {textMessagesIn(text) !== undefined && (
        <button
          type="button"
          onClick={() => {
            setJson(!isJson);
          }}
        >
          {isJson ? "Edit the texts" : "Edit as JSON"}
        </button>
      )}
      {error !== null && <Failure error={error} />}
    </>
  );
}
