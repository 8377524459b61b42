import type { DefaultTheme, MarkdownEnv } from "vitepress";

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
    options: { tokenize, processTerm },
    searchOptions: { boost: { title: 4, titles: 2, text: 1 }, boostDocument, prefix, fuzzy, maxFuzzy: 2 },
  },
};

function isApi({ relativePath }: MarkdownEnv): boolean {
  return relativePath.startsWith("api/");
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

/**
 * Also keeps a name such as `MIGRATION_REQUIRED` or `memory://` whole, of which the default keeps only the words. Runs in the
 * browser too, so it uses nothing from outside of it.
 */
function tokenize(text: string): string[] {
  return (text.match(/[\p{L}\p{N}_]+(?::\/\/)?/gu) ?? []).flatMap((name) => {
    const words = name.split(/[_:/]+/).filter(Boolean);
    return words.length === 1 && words[0] === name ? words : [name, ...words];
  });
}

/** Leaves out words that say nothing about what somebody looks for. Runs in the browser too. */
function processTerm(term: string): string | null {
  const word = term.toLowerCase();
  return /^(?:a|an|and|are|as|at|by|can|do|does|for|from|how|i|in|is|it|my|not|of|on|or|the|this|to|what|with)$/.test(
    word,
  )
    ? null
    : word;
}

/** Each word may be the beginning of one in a page only if it is long, or the last one, which may not be complete yet. Runs in the browser. */
function prefix(term: string, place: number, terms: readonly string[]): boolean {
  return term.length > 3 || place === terms.length - 1;
}

/** A short word with another letter is another word: `test` and `best`. Runs in the browser. */
function fuzzy(term: string): number | false {
  return term.length > 4 && 0.2;
}

/** Runs in the browser. The beginning of a page counts more than its sections, and for an error the page that explains all of them. */
function boostDocument(page: string, term: string, stored?: Record<string, unknown>): number {
  if (page.startsWith("/api/")) return 1e-6;
  if (page.startsWith("/troubleshooting") && term.endsWith("error")) return 2;
  const ofGuide = Array.isArray(stored?.titles) && stored.titles.length === 0 ? 1.5 : 1;
  return page.startsWith("/internals/") ? 0.1 * ofGuide : ofGuide;
}
