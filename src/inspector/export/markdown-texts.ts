import { cutLabel } from "../values/describe-value.js";

/** What ends a line for some reader of Markdown. */
const LINE_END = /\r\n|[\n\r\u2028\u2029]/g;
/** A fence at the start of a line. One of backticks has none in what follows. */
const FENCE = /^(?:`{3,}(?=[^`]*$)|~{3,})/;
/** What Markdown takes for HTML or for a picture, which would load when somebody looks at the file. */
const ACTIVE = /<(?=[a-z/!?])|(?<=!)\[/gi;

/**
 * Yields a text as a quotation. It stays Markdown, but nothing in it ends the quotation: each line is marked, and what begins HTML is text,
 * except in blocks of code. Pictures become text too.
 */
export function* quoted(text: string): Generator<string, undefined> {
  let fence: string | undefined;
  // A fence that is indented, in a list or in a quotation may end elsewhere than it seems.
  let isCertain = true;
  for (const line of linesOf(text)) {
    yield line === "" ? ">" : "> ";
    const around = fence;
    if (fence === undefined) fence = isCertain ? FENCE.exec(line)?.[0] : undefined;
    else if (closes(line, fence)) fence = undefined;
    if (around !== undefined || fence !== undefined) yield line;
    else {
      if (/```|~~~/.test(line)) isCertain = false;
      yield* inactive(line);
    }
    yield "\n";
  }
}

/** In pieces, since a line may have millions of them. */
function* inactive(line: string): Generator<string, undefined> {
  let start = 0;
  for (const { 0: character, index } of line.matchAll(ACTIVE)) {
    yield line.slice(start, index);
    yield character === "<" ? "&lt;" : "&#91;";
    start = index + 1;
  }
  yield line.slice(start);
}

/** One by one, since a text may have millions of them. */
function* linesOf(text: string): Generator<string, undefined> {
  let start = 0;
  for (const { 0: end, index } of text.matchAll(LINE_END)) {
    yield text.slice(start, index);
    start = index + end.length;
  }
  yield text.slice(start);
}

function closes(line: string, fence: string): boolean {
  const run = /^ {0,3}(?<run>`+|~+)[ \t]*$/.exec(line)?.groups?.run ?? "";
  return run.startsWith(fence);
}

/** Yields a text as a block of code, exactly as it is. */
export function* fenced(text: string, language = ""): Generator<string, undefined> {
  const fence = "`".repeat(Math.max(3, longestRun(text) + 1));
  yield `${fence}${language}\n`;
  yield text;
  yield `${text === "" || text.endsWith("\n") ? "" : "\n"}${fence}\n`;
}

/** Returns a name as code within a line. */
export function codeSpan(name: string): string {
  // Characters that change the order of others would also reorder what is around the name.
  const line = cutLabel(name).replaceAll(
    /[\s\p{Cc}\u2028\u2029\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069]+/gu,
    " ",
  );
  if (line.trim() === "") return "(empty)";
  const run = "`".repeat(longestRun(line) + 1);
  // Markdown takes away a space at both ends.
  const pad = /^[` ]|[` ]$/.test(line) ? " " : "";
  return `${run}${pad}${line}${pad}${run}`;
}

function longestRun(text: string): number {
  let [longest, run] = [0, 0];
  for (const character of text) {
    run = character === "`" ? run + 1 : 0;
    if (run > longest) longest = run;
  }
  return longest;
}
