import type { MarkdownOptions } from "vitepress";

/** Highlights each block of code once. VitePress renders a page three times: for the page, and for the search of both builds. */
export function highlightOnce({ options }: { options: Pick<MarkdownOptions, "highlight"> }): void {
  const { highlight } = options;
  if (!highlight) return;
  const highlighted = new Map<string, ReturnType<typeof highlight>>();
  options.highlight = (code, language, attributes) => {
    const key = JSON.stringify([code, language, attributes]);
    const html = highlighted.get(key) ?? highlight(code, language, attributes);
    highlighted.set(key, html);
    return html;
  };
}
