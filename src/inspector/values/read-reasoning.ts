import { isArray } from "../../serde/objects/type-guards.js";
import { fieldOf, type Located, textAt } from "./located.js";

/** The types of the parts in which models explain how they came to their answers. */
const TYPES = new Set(["thinking", "redacted_thinking", "reasoning", "reasoning_content"]);

/** The fields that the text may be in. */
const FIELDS = [
  ...["thinking", "reasoning", "reasoningText", "reasoning_text", "reasoning_content", "text"],
  ...["summary", "content"],
];

/**
 * Reads the reasoning in a part of a content: that of Anthropic, of OpenAI, of Bedrock, or LangChain's standard block.
 *
 * @returns The texts; none where the provider has encrypted them. `undefined` for a part that is no reasoning.
 */
export function readReasoning(part: Located): readonly Located[] | undefined {
  return TYPES.has(textAt(part.value, "type") ?? "") ? textsOf(part) : undefined;
}

/** Reads the reasoning that DeepSeek and OpenAI have beside the content. */
export function readReasoningBeside(fields: Located): readonly Located[] {
  const more = fieldOf(fields, "additional_kwargs");
  const found = more && fieldOf(more, "reasoning_content", "reasoning");
  return found === undefined ? [] : textsOf(found);
}

/** A summary has its texts in a list of objects. What is deeper is none. */
const MAX_DEPTH = 4;
const MAX_TEXTS = 50;

function textsOf(part: Located, depth = 0): readonly Located[] {
  const { value, path } = part;
  if (typeof value === "string") return value === "" ? [] : [part];
  if (depth === MAX_DEPTH) return [];
  if (isArray(value)) {
    const parts = value
      .slice(0, MAX_TEXTS)
      .map((each: unknown, index) => ({ value: each, path: [...path, index] }));
    return parts.flatMap((each) => textsOf(each, depth + 1));
  }
  for (const name of FIELDS) {
    const inside = fieldOf(part, name);
    const texts = inside === undefined ? [] : textsOf(inside, depth + 1);
    if (texts.length > 0) return texts;
  }
  return [];
}
