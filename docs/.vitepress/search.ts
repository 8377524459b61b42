import type { DefaultTheme, MarkdownEnv } from "vitepress";

const API = /^api\//;
const CODE = /^ *```[^]*?^ *```/gm;
const MEMBERS = /^## (?:Accessors|Methods|Properties)$/;

/**
 * The search finds guides before pages for contributors, and those before the API reference, of which only the names
 * of symbols are searched.
 */
export const search: DefaultTheme.LocalSearchOptions = {
  async _render(markdown, env, renderer) {
    const html = await renderer.renderAsync(isApi(env) ? symbolsIn(markdown) : markdown, env);
    return separateWords(html);
  },
  miniSearch: {
    options: { tokenize },
    searchOptions: { boost: { title: 6, titles: 2, text: 1 }, boostDocument },
  },
};

function isApi({ relativePath }: MarkdownEnv): boolean {
  return API.test(relativePath ?? "");
}

/** The headings of a page of the API reference that name its symbol and what the symbol itself declares. */
function symbolsIn(markdown: string): string {
  const [top = "", ...sections] = markdown.replaceAll(CODE, "").split(/^(?=##? )/m);
  const members = sections
    .filter((section) => MEMBERS.test(section.split("\n", 1)[0] ?? ""))
    .flatMap((section) => section.split(/^(?=### )/m).slice(1))
    .filter((member) => !member.includes("#### Inherited from"));
  return [top, ...members].map((section) => section.split("\n", 1)[0]).join("\n\n");
}

/** VitePress removes tags without a space, so that a word before a break and the one after it would be one. */
function separateWords(html: string): string {
  return html.replaceAll(/<br>|<span class="lang">.*?<\/span>/g, " ");
}

/** Also keeps a name such as `MIGRATION_REQUIRED` whole, of which the default keeps only the words. Runs in the browser. */
function tokenize(text: string): string[] {
  return (text.match(/[\p{L}\p{N}_]+/gu) ?? []).flatMap((word) =>
    word.includes("_") ? [word, ...word.split("_").filter(Boolean)] : [word],
  );
}

/** Runs in the browser. */
function boostDocument(page: string): number {
  if (page.startsWith("/api/")) return 1e-6;
  return page.startsWith("/internals/") ? 0.1 : 1;
}
