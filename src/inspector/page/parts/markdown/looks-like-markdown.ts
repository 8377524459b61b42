/** Any character or beginning of a line that Markdown gives a meaning. Texts without them look the same when they are shown as they are. */
const MARKED = /[*_`#[\]<>~\\&|]|:\/\/|mailto:|^ {4}|^ {0,3}\t|^\s*(?:[-+]|\d+[.)])\s|^\s*(?:-{3}|={3})/im;

/** Whether Markdown may show a text in another way than it is. */
export function mayBeMarkdown(text: string): boolean {
  return MARKED.test(text);
}

/** A heading, a block of code, the line below the head of a table, a link, or bold words. */
const STRONG =
  /^ {0,3}(?:#{1,6} \S|```|~~~|\|?[ :]*-{3,}[ :]*\|)|\[[^\]\n]+\]\(https?:|\*\*[^\s*][^*\n]*\*\*/m;

/** Whether somebody wrote a text as Markdown. What a tool returns is often the output of a program, where `__init__` is a name. */
export function isSurelyMarkdown(text: string): boolean {
  return STRONG.test(text);
}
