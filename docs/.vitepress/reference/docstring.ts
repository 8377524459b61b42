const LIST_ITEM = /^- ((?:`[^`]+`(?:, )?)+): (.*)$/;
/** A sentence, or a part of one, that says what holds where nothing is given. */
const DEFAULT = /(?:^|(?<=[.;)] ))Default:? ((?:`[^`]*`|[^`])+?)\.(?= |$)/;
/** Where one sentence ends and the next one begins. */
const BETWEEN_SENTENCES = /(?<=[.!?])\s+(?=[\p{Lu}`])/u;

/** What a docstring says, as Markdown. */
export interface Docstring {
  readonly paragraphs: readonly string[];
  /** The items of its lists: what each is about, and what is said of it. */
  readonly items: readonly (readonly [name: string, text: string])[];
  /** The text of `@remarks`. */
  readonly remarks: string;
  /** What holds where nothing is given, if it says so. */
  readonly default: string | undefined;
}

/**
 * Reads a docstring.
 *
 * @param comment - With its delimiters.
 *
 * @example
 * ```ts
 * docstringOf("/** The longest wait, in seconds. Default 5. *\/").default; // "5"
 * ```
 */
export function docstringOf(comment: string): Docstring {
  const text = comment
    .replaceAll(/^\/\*\*|\*\/$/g, "")
    .replaceAll(/^[ \t]*\*[ \t]?/gm, "")
    .replaceAll(/\{@link ([^}\s|]+)[^}]*\}/g, "`$1`")
    .trim();
  const [body = "", ...tags] = text.split(/^(?=@\w)/m);
  const blocks = body.split(/\n\n+/).map((block) => block.trim());
  const remarks = tags.find((tag) => tag.startsWith("@remarks"))?.slice("@remarks".length) ?? "";
  return {
    paragraphs: blocks.filter((block) => block !== "" && !block.startsWith("- ")).map(oneLine),
    items: blocks.filter((block) => block.startsWith("- ")).flatMap(itemsOf),
    remarks: oneLine(remarks.trim()),
    default: DEFAULT.exec(oneLine(body))?.[1],
  };
}

/** The first sentences of a text, without the one about the default, and without the last period. */
export function firstSentences(text: string, count: number): string {
  const sentences = text.replace(DEFAULT, "").trim().split(BETWEEN_SENTENCES);
  return sentences.slice(0, count).join(" ").replace(/\.$/, "");
}

function itemsOf(list: string): (readonly [string, string])[] {
  return list.split(/^(?=- )/m).map((item) => {
    const [, name, text] = LIST_ITEM.exec(oneLine(item)) ?? [];
    if (name === undefined || text === undefined)
      throw new Error(`an item of a docstring names nothing: ${item}`);
    return [name, text];
  });
}

function oneLine(text: string): string {
  return text.trim().replaceAll(/\s*\n\s*/g, " ");
}
