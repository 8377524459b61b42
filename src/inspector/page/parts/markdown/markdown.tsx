import { useEffect, useMemo, useState } from "preact/hooks";
import { mayBeMarkdown } from "./looks-like-markdown.js";
import "./markdown.css";

/**
 * Shows a text as Markdown. HTML in it is text, its links lead to pages and mail only, and it loads nothing. What is very long or deeply
 * nested is shown as it is.
 *
 * @example
 * ```tsx
 * <Markdown text="**Please** hurry." />
 * ```
 */
export function Markdown({ text }: { readonly text: string }) {
  const reader = useReader(mayBeMarkdown(text));
  const shown = useMemo(() => {
    const tokens = reader?.readMarkdown(text);
    return tokens === undefined ? undefined : reader?.renderTokens(tokens);
  }, [reader, text]);
  if (shown === undefined) {
    return (
      <p class="plain-text">
        <bdi>{text}</bdi>
      </p>
    );
  }
  return <div class="markdown">{shown}</div>;
}

type Reader = typeof import("./reader.js");

/** What reads Markdown, once it has been loaded. */
let loadedReader: Reader | undefined;

/** Loads the reader when the first text needs it. Texts are shown as they are until then, and where the server has gone. */
function useReader(isNeeded: boolean): Reader | undefined {
  const [, setReader] = useState(loadedReader);
  useEffect(() => {
    if (!isNeeded || loadedReader !== undefined) return;
    void import("./reader.js").then(
      (reader) => {
        loadedReader = reader;
        setReader(reader);
      },
      () => undefined,
    );
  }, [isNeeded]);
  return isNeeded ? loadedReader : undefined;
}
