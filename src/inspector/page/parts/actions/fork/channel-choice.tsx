import type { ChannelView } from "../../../../api/checkpoints.js";

/** What LangGraph keeps for itself: editing it would break the run. */
const INTERNAL = /^(?:__|branch:)/;

interface ChannelChoiceProps {
  readonly channels: readonly ChannelView[];
  /** What has been typed, by chosen channel. */
  readonly texts: Readonly<Record<string, string>>;
  readonly onChange: (texts: Readonly<Record<string, string>>) => void;
}

/** Asks which channels get another value. */
export function ChannelChoice({ channels, texts, onChange }: ChannelChoiceProps) {
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
