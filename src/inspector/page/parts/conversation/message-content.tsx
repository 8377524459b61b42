import type { ContentPart, MessageText, MessageView } from "../../../api/checkpoints.js";
import { MediaPart } from "../media/media-part.js";
import { type ShownConversation, placeOfValue } from "./use-message.js";
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import type { ValuePlace } from "../../../api/places.js";
import type { ValuePath } from "../../../api/value-node.js";
import { ValueTree } from "../value-tree/value-tree.js";
import { LongText } from "../long-text.js";
import { isSurelyMarkdown } from "../markdown/looks-like-markdown.js";
import { Markdown } from "../markdown/markdown.js";
import { prettyJson } from "../json-text.js";

/** A message with its conversation. */
interface MessageContentProps {
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
  const place = placeOfValue(conversation);
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
  readonly place: ReturnType<typeof placeOfValue>;
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

interface FoldedValueProps {
  readonly place: ValuePlace;
  readonly label: string;
  readonly path: ValuePath;
  /** The summary. */
  readonly children: ComponentChildren;
}

/** A part of the stored value as a tree, which is read when it is opened. */
export function FoldedValue({ place, label, path, children }: FoldedValueProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details
      onToggle={({ currentTarget }) => {
        setOpen(currentTarget.open);
      }}
    >
      <summary>{children}</summary>
      {isOpen && <ValueTree label={label} place={place} from={path} />}
    </details>
  );
}

/**
 * How a text is shown. `source`: as it is. `written`: by a person or a model, as Markdown. `output`: of a tool, which may also be JSON, or
 * the output of a program.
 */
type TextForm = "source" | "written" | "output";

interface StoredTextProps {
  readonly place: ValuePlace;
  readonly part: MessageText;
  readonly form: TextForm;
}

/** A text of a message, with a button for what is cut. */
function StoredText({ place, part: { path, ...value }, form }: StoredTextProps) {
  const render = form === "source" ? undefined : (text: string) => <ReadableText text={text} form={form} />;
  return <LongText place={place} path={path} value={{ ...value, type: "string" }} render={render} />;
}

function ReadableText({ text, form }: { readonly text: string; readonly form: TextForm }) {
  const json = form === "output" ? prettyJson(text) : undefined;
  if (json === undefined && (form === "written" || isSurelyMarkdown(text))) return <Markdown text={text} />;
  return (
    <pre class="long-text">
      <bdi>{json ?? text}</bdi>
    </pre>
  );
}
