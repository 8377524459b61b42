/** What is loaded when the first text needs it. */
export { readMarkdown } from "./read-markdown.js";
export { renderTokens } from "./render-tokens.js";
