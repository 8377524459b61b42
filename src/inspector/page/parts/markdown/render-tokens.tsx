import { h, type ComponentChild, type VNode } from "preact";
import type { Token } from "markdown-it";
import { createOutline } from "./read-markdown.js";
import { ExternalLink } from "./external-link.js";
import { ShownImage, imageBytes } from "../media/shown-image.js";

/** An element whose end has not come yet. */
interface Open {
  readonly token: Token | undefined;
  readonly children: ComponentChild[];
}

/** The elements that tokens become. Anything else becomes its text, whatever the parser may learn. */
const ELEMENTS = new Set([
  ...["p", "ul", "ol", "li", "blockquote", "table", "thead", "tbody", "tr", "th", "td"],
  ...["em", "strong", "s"],
]);

/** Makes elements of the tokens of a text. Texts are text nodes, and no attribute is from the text but the addresses of links. */
export function renderTokens(tokens: readonly Token[]): ComponentChild[] {
  const levelOf = createOutline();
  return renderNested(tokens, (token, children, depth) => {
    const [, heading] = /^h([1-6])$/.exec(token.tag) ?? [];
    const dir = depth === 0 ? "auto" : undefined;
    if (heading !== undefined) return h(`h${levelOf(Number(heading))}`, { dir }, ...children);
    // The paragraphs of a list without empty lines.
    if (token.hidden) return children;
    if (token.tag === "a") {
      return <ExternalLink address={token.attrGet("href") ?? ""}>{children}</ExternalLink>;
    }
    if (!ELEMENTS.has(token.tag)) return children;
    if (token.tag === "table") return <TableBox dir={dir}>{children}</TableBox>;
    // Screen readers could say nothing of a heading without a text.
    if (token.tag === "th" && children.length === 0) return <td />;
    const start = token.tag === "ol" ? Number(token.attrGet("start") ?? 1) : undefined;
    return h(token.tag, { dir, start }, ...children);
  });
}

type Close = (token: Token, children: ComponentChild[], depth: number) => ComponentChild;

/** Puts a flat list of tokens together, without a recursion. */
function renderNested(tokens: readonly Token[], close: Close, around = 0): ComponentChild[] {
  const top: Open = { token: undefined, children: [] };
  const open: Open[] = [top];
  for (const token of tokens) {
    const { children } = open.at(-1) ?? top;
    if (token.nesting === 1) open.push({ token, children: [] });
    else if (token.nesting === 0) {
      if (token.type !== "inline") children.push(leafOf(token));
      else children.push(...renderNested(token.children ?? [], close, 1));
    } else {
      const ended = open.length > 1 ? open.pop() : undefined;
      if (ended?.token !== undefined)
        (open.at(-1) ?? top).children.push(close(ended.token, ended.children, around + open.length - 1));
    }
  }
  return top.children;
}

function leafOf(token: Token): ComponentChild {
  switch (token.type) {
    case "softbreak":
    case "hardbreak":
      return <br />;
    case "hr":
      return <hr />;
    case "code_inline":
      return <code>{token.content}</code>;
    case "fence":
    case "code_block":
      return <CodeBlock language={token.info.trim()} code={token.content} />;
    case "image":
      return <TextImage address={token.attrGet("src") ?? ""} name={token.content} />;
    default:
      return token.content;
  }
}

function CodeBlock({ language, code }: { readonly language: string; readonly code: string }): VNode {
  return (
    <div class="code-block" dir="ltr">
      {language !== "" && (
        <p class="code-language">
          <bdi>{language.slice(0, 50)}</bdi>
        </p>
      )}
      <pre>
        <code>{code.replace(/\n$/, "")}</code>
      </pre>
    </div>
  );
}

interface TableBoxProps {
  readonly dir: "auto" | undefined;
  readonly children: ComponentChild[];
}

/** Wide tables are scrolled, also with the keyboard. */
function TableBox({ dir, children }: TableBoxProps) {
  return (
    <div class="table-box" role="group" aria-label="Table" tabIndex={0} dir={dir}>
      <table>{children}</table>
    </div>
  );
}

interface TextImageProps {
  readonly address: string;
  /** What the text says instead of the image. */
  readonly name: string;
}

/** An image that a text asks for. One of elsewhere is never loaded, since whoever has it would learn of that. */
function TextImage({ address, name }: TextImageProps) {
  const label = name === "" ? "Image" : `Image: ${name}`;
  if (!address.startsWith("data:")) return <ExternalLink address={address}>{label}</ExternalLink>;
  return (
    <span class="text-image">
      <bdi>{label}</bdi> <ShownImage name={name} read={() => Promise.resolve(imageBytes(address))} />
    </span>
  );
}
