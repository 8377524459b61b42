import { readFile } from "node:fs/promises";
import { describe, expect, it } from "@jest/globals";
import { AIMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import { z } from "zod";
import { MsgpackSerializer } from "../../serde/msgpack/msgpack-serializer.js";
import type { ContentPart, MessageView } from "../api/checkpoints.js";
import { describeConversation } from "./conversation.js";

function describeMessages(...messages: readonly unknown[]): readonly MessageView[] {
  return describeConversation(messages, { offset: 0, limit: 100, path: [] }).messages;
}

/** Describes the only part of a content. */
function describePart(part: unknown): ContentPart | undefined {
  const [message] = describeMessages({ role: "user", content: [part] });
  expect(message?.content).toHaveLength(1);
  return message?.content[0];
}

const PNG = "iVBORw0KGgo=";
const DATA_URL = `data:image/png;base64,${PNG}`;
const PNG_DATA = { media: "image", mediaType: "image/png", data: { bytes: 8, isBase64: true } };

describe("describeConversation", () => {
  it.each<[string, object, object]>([
    ["OpenAI", { type: "image_url", image_url: { url: DATA_URL, detail: "low" } }, PNG_DATA],
    ["OpenAI, as text", { type: "image_url", image_url: DATA_URL }, PNG_DATA],
    ["OpenAI's Responses", { type: "input_image", image_url: DATA_URL }, PNG_DATA],
    ["an address", { type: "image_url", image_url: { url: "https://a.b/c.png" } }, { media: "image", url: "https://a.b/c.png" }],
    ["Anthropic", { type: "image", source: { type: "base64", media_type: "image/png", data: PNG } }, PNG_DATA],
    ["Anthropic's address", { type: "image", source: { type: "url", url: "https://a.b" } }, { media: "image", url: "https://a.b" }],
    ["Anthropic's document", { type: "document", source: { type: "base64", media_type: "application/pdf", data: PNG } }, { media: "file", mediaType: "application/pdf" }],
    ["LangChain", { type: "image", mimeType: "image/png", data: PNG }, PNG_DATA],
    ["LangChain, as bytes", { type: "audio", mimeType: "audio/wav", data: new Uint8Array(5) }, { media: "audio", data: { bytes: 5, isBase64: false } }],
    ["LangChain's address", { type: "video", url: "https://a.b/c" }, { media: "video", url: "https://a.b/c" }],
    ["LangChain before 1", { type: "image", source_type: "base64", mime_type: "image/png", data: PNG }, PNG_DATA],
    ["Python", { type: "image", base64: PNG, mime_type: "image/png" }, PNG_DATA],
    ["a recording of OpenAI", { type: "input_audio", input_audio: { data: PNG, format: "wav" } }, { media: "audio", mediaType: "audio/wav" }],
    ["a file of OpenAI", { type: "file", file: { filename: "a", file_data: `data:application/pdf;base64,${PNG}` } }, { media: "file", mediaType: "application/pdf" }],
    ["Google", { type: "media", mimeType: "video/mp4", data: PNG }, { media: "video", data: { bytes: 8 } }],
    ["Bedrock", { type: "image", image: { format: "png", source: { bytes: new Uint8Array(3) } } }, { media: "image", mediaType: "image/png", data: { bytes: 3 } }],
  ])("finds the media of %s", (_of, part, expected) => {
    expect(describePart(part)).toMatchObject({ kind: "media", ...expected });
  }); // oxfmt-ignore

  it.each<[object]>([
    [{ type: "image", source_type: "id", id: "file-1" }],
    [{ type: "image_url", image_url: { url: "data:image/png,%89" } }],
    [{ type: "document", source: { type: "text", media_type: "text/plain", data: "words" } }],
    [{ type: "image", data: "no base64!" }],
    [{ type: "citation", data: PNG }],
  ])("shows %j as a value", (part) => {
    expect(describePart(part)).toMatchObject({ kind: "other", path: [0, 1, 0] });
  });

  it("leads to the data of an image, which it does not send", () => {
    const data = "iVBORw0K".repeat(1_000_000);
    const [message] = describeMessages({ role: "user", content: [{ type: "image", source: { type: "base64", data } }] });
    expect(message?.content).toMatchObject([{ data: { path: [0, 1, 0, 1, 1] } }]);
    expect(JSON.stringify(message).length).toBeLessThan(500);
  }); // oxfmt-ignore

  it.each<[string, object, readonly string[]]>([
    ["Anthropic", { type: "thinking", thinking: "Hm", signature: "s" }, ["Hm"]],
    ["Anthropic, encrypted", { type: "redacted_thinking", data: "x" }, [""]],
    ["LangChain", { type: "reasoning", reasoning: "Hm" }, ["Hm"]],
    ["OpenAI", { type: "reasoning", id: "r", summary: [{ type: "summary_text", text: "Hm" }, { type: "summary_text", text: "So" }] }, ["Hm", "So"]],
    ["OpenAI, encrypted", { type: "reasoning", summary: [], encrypted_content: "x" }, [""]],
    ["Bedrock", { type: "reasoning_content", reasoningText: { text: "Hm", signature: "s" } }, ["Hm"]],
  ])("finds the reasoning of %s", (_of, part, texts) => {
    const [message] = describeMessages({ role: "assistant", content: [part] });
    expect(message?.content).toMatchObject(texts.map((text) => ({ kind: "reasoning", text })));
  }); // oxfmt-ignore

  it("finds the reasoning beside the content, unless the content has it too", () => {
    const beside = { reasoning_content: "Hm" };
    const kinds = describeMessages(
      new AIMessage({ content: "So", additional_kwargs: beside }),
      new AIMessage({ content: [{ type: "reasoning", reasoning: "Hm" }], additional_kwargs: beside }),
      new AIMessage({ content: "So", additional_kwargs: { reasoning: { summary: [{ text: "Hm" }] } } }),
    ).map(({ content }) => content.map(({ kind }) => kind));
    expect(kinds).toEqual([["reasoning", "text"], ["reasoning"], ["reasoning", "text"]]);
  });

  it("shows a call once, whoever repeats it in the content", () => {
    const call = { id: "c1", name: "look", args: {} };
    const repeated = [
      { type: "tool_use", id: "c1", name: "look", input: {} },
      { type: "function_call", call_id: "c1", id: "fc_1" },
      { type: "functionCall", functionCall: { name: "look", args: {} } },
      { type: "tool_use", id: "other", name: "look" },
    ];
    const [message] = describeMessages(new AIMessage({ content: repeated, tool_calls: [call] }));
    expect(message?.content).toMatchObject([{ kind: "other", type: "tool_use", path: [0, expect.any(Number), 3] }]);
  }); // oxfmt-ignore

  it("pairs each call with the next answer, and every other answer is shown by itself", () => {
    const ask = () => new AIMessage({ content: "", tool_calls: [{ id: "c", name: "look", args: {} }] });
    const answer = (id: string) => new ToolMessage({ content: "a", tool_call_id: id });
    const views = describeMessages(answer("c"), ask(), answer("c"), answer("c"), ask(), answer("c"), answer("d"));
    expect(views.map(({ toolCalls: [call], shownAt }) => call?.answeredBy ?? shownAt)).toEqual(
      [undefined, 2, 1, undefined, 5, 4, undefined],
    );
  }); // oxfmt-ignore

  it("reads what Python stored of a model's answer", async () => {
    const rows = z.array(z.object({ name: z.string(), type: z.string(), data: z.string() }));
    const fixture = new URL("../../../tests/fixtures/python/msgpack-rows.json", import.meta.url);
    const row = rows.parse(JSON.parse(await readFile(fixture, "utf8"))).find(({ name }) => name === "AI message");
    const bytes = Buffer.from(row?.data ?? "", "base64");
    expect(describeMessages(await new MsgpackSerializer().loadsTyped("msgpack", bytes))).toMatchObject([
      {
        ...{ role: "ai", content: [], model: "m", usage: { input: 1, output: 2 } },
        toolCalls: [
          { id: "c", name: "f", path: [0, expect.any(Number), 0, expect.any(Number)] },
          { id: "d", name: "g", args: "{", error: "bad" },
        ],
      },
    ]);
  }); // oxfmt-ignore

  it("bounds what it sends of a message, and says what it leaves out", () => {
    const part = { type: "text", text: "x".repeat(100_000) };
    const calls = Array.from({ length: 60 }, (_, n) => ({ id: `c${n}`, name: "look", args: { text: part.text } }));
    const [message] = describeMessages(
      new AIMessage({ content: Array.from({ length: 70 }, () => part), tool_calls: calls }),
      new HumanMessage("later"),
    );
    expect(message).toMatchObject({ omitted: 30 });
    expect(message?.content[0]).toMatchObject({ isCut: true, size: 100_000 });
    expect(JSON.stringify(message).length).toBeLessThan(600_000);
  }); // oxfmt-ignore
});
