import type { ContentPart, MessageText, MessageView } from "../../../api/checkpoints.js";
import { MediaPart } from "../media/media-part.js";
import { FoldedValue } from "./folded-value.js";
import { StoredText, type TextForm } from "./stored-text.js";
import { type ShownConversation, valueOf } from "./use-message.js";

/** A message with its conversation. */
export interface MessageContentProps {
  readonly conversation: ShownConversation;
  readonly message: MessageView;
  /** Whether texts are shown as they are stored. */
  readonly isSource: boolean;
}

/** The content of a message in its order. */
export function MessageContent({ conversation, message, isSource }: MessageContentProps) {
  const form = isSource ? "source" : message.role === "tool" ? "output" : "written";
  return (
    <>
      {message.content.map((part) => (
        <Part key={part.path.join(".")} conversation={conversation} part={part} form={form} />
      ))}
    </>
  );
}

interface PartProps {
  readonly conversation: ShownConversation;
  readonly part: ContentPart;
  readonly form: TextForm;
}

function Part({ conversation, part, form }: PartProps) {
  const place = valueOf(conversation);
  switch (part.kind) {
    case "text":
      return <StoredText place={place} part={part} form={form} />;
    case "reasoning":
      return <Reasoning {...{ place, part, form }} />;
    case "media":
      return <MediaPart place={place} part={part} />;
    case "other":
      return (
        <FoldedValue place={place} label={part.type} path={part.path}>
          Part: <bdi>{part.type}</bdi>
        </FoldedValue>
      );
  }
}

interface ReasoningProps {
  readonly place: ReturnType<typeof valueOf>;
  readonly part: MessageText;
  readonly form: TextForm;
}

/** Folded, since it is often longer than the answer. */
function Reasoning({ place, part, form }: ReasoningProps) {
  if (part.text === "") return <p class="dim">Reasoning, which the provider of the model has encrypted</p>;
  return (
    <details class="reasoning">
      <summary>Reasoning</summary>
      <StoredText place={place} part={part} form={form} />
    </details>
  );
}
