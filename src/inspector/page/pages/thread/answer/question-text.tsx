import type { CheckpointPlace, ValuePlace } from "../../../../api/places.js";
import type { StoryQuestion, WrittenText } from "../../../../api/story.js";
import { LongText } from "../../../parts/long-text.js";
import { NamedValues } from "./named-values.js";

/** The most characters of a text that are shown at once. */
const MAX_SHOWN = 4_000;

interface QuestionTextProps {
  readonly checkpoint: CheckpointPlace;
  readonly question: StoryQuestion;
}

/** A question, with all that it consists of. */
export function QuestionText({ checkpoint, question }: QuestionTextProps) {
  return (
    <>
      <Written {...{ checkpoint }} text={question} />
      {question.details !== undefined && <NamedValues json={question.details} />}
    </>
  );
}

/** A text of a write. What is cut comes with a click. */
export function Written({
  checkpoint,
  text,
}: {
  readonly checkpoint: CheckpointPlace;
  readonly text: WrittenText;
}) {
  const { taskId, idx, path } = text;
  const place: ValuePlace = { kind: "write", ...checkpoint, taskId, idx };
  // The rest can be read only where one text of the write is shown.
  const start = path === undefined ? text.text : startOf(text.text);
  const isCut = path !== undefined && (text.isCut || start.length < text.text.length);
  return (
    <LongText
      key={JSON.stringify(place)}
      {...{ place }}
      path={path ?? []}
      value={{ type: "string", text: start, isCut }}
    />
  );
}

/** The beginning of a long text, which does not end between the halves of a character. */
function startOf(text: string): string {
  return text.length <= MAX_SHOWN ? text : text.slice(0, MAX_SHOWN).replace(/[\uD800-\uDBFF]$/, "");
}
