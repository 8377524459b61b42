import { AIMessage, type BaseMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";

const WORDS =
  "the agent reads a long thread of messages and answers with what it found in the documents of its user".split(
    " ",
  );

/** Text that compresses like prose: words in an order that does not repeat, the same in every run. */
export function prose(characters: number, seed = 0): string {
  let state = seed + 1;
  let text = "";
  while (text.length < characters) {
    // The constants of Numerical Recipes.
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32;
    text += `${WORDS[(state >>> 16) % WORDS.length] ?? ""} `;
  }
  return text.slice(0, characters);
}

/** Text of many different words, which LZ4 halves, as it does with English. */
export function variedText(characters: number, seed = 0): string {
  let state = (seed + 1) * 7_919;
  let text = "";
  while (text.length < characters) {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32;
    // Small numbers are frequent, as common words are.
    const rank = Math.floor(4_000 * ((state >>> 8) / 2 ** 24) ** 3);
    text += `${wordOf(rank)} `;
  }
  return text.slice(0, characters);
}

/** One of many invented words, the shorter the more frequent. */
function wordOf(rank: number): string {
  const syllables = ["ka", "te", "mor", "in", "sul", "dre", "von", "ali", "per", "gu", "shi", "ban"];
  let word = "";
  for (let rest = rank + 1; rest > 0; rest = Math.floor(rest / syllables.length))
    word += syllables[rest % syllables.length] ?? "";
  return word;
}

/** A record as an agent keeps in its state, of about this number of characters as JSON. */
export function record(characters: number, seed = 0, write = prose): Record<string, unknown> {
  return {
    id: seed,
    tags: ["draft", "shared"],
    score: seed / 7,
    done: false,
    text: write(characters - 70, seed),
  };
}

/** This number of channels with a record of 2 kB each. */
export function channels(count: number, seed = 0): Record<string, unknown> {
  return Object.fromEntries(
    Array.from({ length: count }, (_, index) => [`channel_${index}`, record(2_000, seed + index)]),
  );
}

/** A document of records of 1 kB. */
export function document(kilobytes: number): Record<string, unknown>[] {
  return Array.from({ length: kilobytes }, (_, index) => record(1_000, index));
}

/** A conversation with tools, whose messages have 1 kB of text each. */
export function conversation(messages: number, write = prose): BaseMessage[] {
  return Array.from({ length: messages }, (_, index) => message(index, write(1_000, index)));
}

function message(index: number, content: string): BaseMessage {
  const id = `message-${index}`;
  if (index % 3 === 0) return new HumanMessage({ id, content });
  if (index % 3 === 2)
    return new ToolMessage({ id, content, tool_call_id: `call-${index - 1}`, name: "search" });
  return new AIMessage({
    id,
    content,
    tool_calls: [{ id: `call-${index}`, name: "search", args: { query: "documents", limit: 5 } }],
    response_metadata: { model: "sample", finish_reason: "tool_calls", tokens: { input: 100, output: 20 } },
  });
}
