import { useQuery } from "@tanstack/preact-query";
import { useMemo } from "preact/hooks";
import { partQuery } from "../../server/load-part.js";
import { mayBeMarkdown } from "./looks-like-markdown.js";
import "./markdown.css";

/** Loads what reads Markdown when the first text needs it. */
const READER = partQuery("reader", () => import("./reader.js"));

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
  const isNeeded = mayBeMarkdown(text);
  // Texts are shown as they are until the reader is there, and where it can't be loaded.
  const { data } = useQuery({ ...READER, enabled: isNeeded, retryOnMount: false });
  const reader = isNeeded ? data : undefined;
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
