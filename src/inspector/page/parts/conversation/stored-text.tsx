import type { MessageText } from "../../../api/checkpoints.js";
import type { ValuePlace } from "../../../api/places.js";
import { LongText } from "../long-text/long-text.js";
import { isSurelyMarkdown } from "../markdown/looks-like-markdown.js";
import { Markdown } from "../markdown/markdown.js";
import { prettyJson } from "./pretty-json.js";

/**
 * How a text is shown. `source`: as it is. `written`: by a person or a model, as Markdown. `output`: of a tool, which may also be JSON, or
 * the output of a program.
 */
export type TextForm = "source" | "written" | "output";

interface StoredTextProps {
  readonly place: ValuePlace;
  readonly part: MessageText;
  readonly form: TextForm;
}

/** A text of a message, with a button for what is cut. */
export function StoredText({ place, part: { path, ...value }, form }: StoredTextProps) {
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
