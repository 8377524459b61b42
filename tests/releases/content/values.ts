import { Document } from "@langchain/core/documents";
import {
  AIMessage,
  AIMessageChunk,
  type BaseMessage,
  ChatMessage,
  HumanMessage,
  RemoveMessage,
  SystemMessage,
  ToolMessage,
} from "@langchain/core/messages";
import { Command, Overwrite, Send } from "@langchain/langgraph";

/** Longer than what is sent in one piece, and small in a compressed file. */
export const LONG_TEXT = "A long text, of lines that are all alike.\n".repeat(2_000);

/** Text that differs with `seed`, and repeats nothing within 4 KiB, so that a splice of another value saves nothing. */
export function distinctText(seed: number, length: number): string {
  let state = seed + 1;
  return Array.from({ length }, () => {
    state = (state * 48_271) % 2_147_483_647;
    return String.fromCharCode(97 + (state % 26));
  }).join("");
}

/** Each kind of value that a channel may hold, but for the classes of LangChain and LangGraph. */
export function plainValues(): Record<string, unknown> {
  return {
    nothing: null,
    flags: [true, false, null],
    // Python's saver keeps these in the header.
    flag: true,
    count: 42,
    ratio: 0.1,
    word: "word",
    numbers: [0, -0, 1.5, NaN, Infinity, -Infinity, 2 ** 31, -(2 ** 53), 5e-324, 1e300],
    bigints: [0n, -1n, 2n ** 63n, -(2n ** 64n), 10n ** 40n],
    texts: ["", "Grüße, 世界 👋", "line\nbreak", "quote ' \" \\", "\u0001"],
    dates: [new Date(0), new Date(1_700_000_000_123), new Date(-62_135_596_800_000)],
    patterns: [/a+b?/gi, /\d/],
    address: new URL("https://example.org/a?b=c#d"),
    map: new Map<unknown, unknown>([
      ["a", 1],
      [2, new Date(2)],
      [{ part: "of a key" }, [3n]],
    ]),
    set: new Set<unknown>(["a", 1, null, [2]]),
    bytes: Uint8Array.of(0, 1, 127, 128, 255),
    arrays: [Int16Array.of(-1, 2), Float32Array.of(0.5, -2), BigUint64Array.of(2n ** 64n - 1n)],
    error: new RangeError("out of range"),
    object: { "": 1, "a.b": { c: [undefined, { d: undefined }] }, constructor: "own", 7: "seven" },
    deep: Array.from({ length: 40 }).reduce<unknown>((inner) => ({ inner: [inner] }), "innermost"),
    long: LONG_TEXT,
    longBytes: new Uint8Array(100_000).fill(7),
    empty: [[], {}, "", new Map(), new Set(), new Uint8Array()],
  };
}

/** A conversation with each kind of message. */
export function messages(): BaseMessage[] {
  return [
    new SystemMessage({ id: "1", content: "Be brief." }),
    new HumanMessage({ id: "2", content: [{ type: "text", text: "What is the weather?" }], name: "Ada" }),
    new AIMessage({
      id: "3",
      content: "",
      tool_calls: [{ id: "call", name: "weather", args: { city: "Zürich" }, type: "tool_call" }],
      additional_kwargs: { extra: [1] },
    }),
    new ToolMessage({
      id: "4",
      content: "rain",
      tool_call_id: "call",
      artifact: { mm: 2.5 },
      status: "success",
    }),
    // LangChain's types allow it only for messages of a declared structure.
    Object.assign(new AIMessage({ id: "5", content: "It rains.", response_metadata: { model: "m" } }), {
      usage_metadata: { input_tokens: 5, output_tokens: 3, total_tokens: 8 },
    }),
    new AIMessageChunk({ id: "8", content: "A chunk" }),
    new ChatMessage({ id: "6", content: "Thanks.", role: "guest" }),
    new RemoveMessage({ id: "2" }),
  ];
}

/** Objects of LangChain and LangGraph. */
export function langchainValues(): Record<string, unknown> {
  return {
    messages: messages(),
    document: new Document({ pageContent: "A page.", metadata: { page: 1 }, id: "d" }),
    sends: [new Send("node", { item: 1, at: new Date(5) })],
    command: new Command({ goto: "node", update: { count: 2 } }),
    overwrite: new Overwrite(["replaced"]),
  };
}
