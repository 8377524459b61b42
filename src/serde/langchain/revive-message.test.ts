import { Document } from "@langchain/core/documents";
import { describe, expect, it } from "@jest/globals";
import { MsgpackSerializer } from "../msgpack/msgpack-serializer.js";
import { JS_FIELD, reviveDocument, reviveMessage } from "./messages.js";

describe("a document", () => {
  it("is written with the names of Python, and what only JavaScript has beside them", async () => {
    const document = Object.assign(new Document({ pageContent: "text", metadata: { a: 1 } }), { score: 0.5 });
    const serializer = new MsgpackSerializer();
    const [type, data] = await serializer.dumpsTyped(document);
    const text = Buffer.from(data).toString("latin1");
    expect(text).toContain("page_content");
    expect(text).not.toContain("pageContent");
    expect(await serializer.loadsTyped(type, data)).toEqual(document);
  });

  it("is read with the fields that were written, and has no id where Python writes null", () => {
    const read = (fields: Record<string, unknown>) => ({ ...reviveDocument(fields) });
    const plain = read({ page_content: "", metadata: {} });
    expect(read({ metadata: { a: 1 } })).toEqual({ ...plain, metadata: { a: 1 }, id: undefined });
    expect(read({ page_content: "x", id: null })).toEqual({ ...plain, pageContent: "x", id: null });
    expect(read({ page_content: "x", id: null, type: "Document" })).toEqual({
      ...plain,
      pageContent: "x",
      id: undefined,
    });
    const others = ["score", 1, 5, 2, "odd"];
    expect(read({ page_content: "x", [JS_FIELD]: others })).toMatchObject({ score: 1 });
    expect(read({ page_content: "x", [JS_FIELD]: others })).not.toHaveProperty("odd");
    expect(read({ page_content: "x", [JS_FIELD]: { score: 1 } })).not.toHaveProperty("score");
  });
});

describe("a message", () => {
  it("of Python is made of its own fields", () => {
    const message = reviveMessage("HumanMessage", { type: "human", content: "x", [JS_FIELD]: 1, name: null });
    expect(message).toMatchObject({ content: "x" });
    expect(Reflect.get(message, "lc_kwargs")).not.toHaveProperty(JS_FIELD);
    expect(Reflect.get(message, "lc_kwargs")).not.toHaveProperty("type");
  });

  const DISAGREEMENT = { own: [], given: ["content"], same: {}, kwargs: {} };
  it.each([
    5,
    null,
    [],
    { ...DISAGREEMENT, own: {} },
    { ...DISAGREEMENT, given: [1] },
    { ...DISAGREEMENT, same: 5 },
    { ...DISAGREEMENT, kwargs: [] },
  ])("is refused where what its fields would not restore is %j", (malformed) => {
    expect(() => reviveMessage("HumanMessage", { content: "x", [JS_FIELD]: malformed })).toThrow(
      `the field ${JS_FIELD} is malformed`,
    );
    const message = reviveMessage("HumanMessage", { content: "x", [JS_FIELD]: DISAGREEMENT });
    expect(message).toHaveProperty("lc_kwargs.content", "x");
  });
});
