import { describe, expect, test } from "@jest/globals";
import { DeserializationError, SerializationError } from "../../errors/index.js";
import { MsgpackSerializer } from "./msgpack-serializer.js";

const serializer = new MsgpackSerializer();

describe("MsgpackSerializer", () => {
  test("writes null without bytes and everything else as msgpack", () => {
    expect(serializer.dumps(null)).toEqual(["null", new Uint8Array()]);
    for (const value of [undefined, 0, "", [], {}, new Uint8Array(2), Buffer.from("a")])
      expect(serializer.dumps(value)[0]).toBe("msgpack");
  });

  test("reads a Buffer back as a Buffer and a Uint8Array as a Uint8Array", async () => {
    const [buffer, bytes] = [Buffer.from("ab"), Uint8Array.of(1, 2)];
    expect(await serializer.loadsTyped(...serializer.dumps(buffer))).toStrictEqual(buffer);
    expect(await serializer.loadsTyped(...serializer.dumps(bytes))).toStrictEqual(bytes);
  });

  test("has encoded the value when it returns the promise", async () => {
    const value = { list: [1], map: new Map([["k", 1]]), bytes: Buffer.from("ab") };
    const promise = serializer.dumpsTyped(value);
    value.list.push(2);
    value.map.clear();
    value.bytes.fill(0);
    expect(await serializer.loadsTyped(...(await promise))).toEqual({
      list: [1],
      map: new Map([["k", 1]]),
      bytes: Buffer.from("ab"),
    });
  });

  test("rejects, and does not throw, with the path of a part that can't be stored", async () => {
    const promise = serializer.dumpsTyped({ messages: [{ onDone: () => 1 }] });
    await expect(promise).rejects.toBeInstanceOf(SerializationError);
    await expect(promise).rejects.toMatchObject({ path: "messages[0].onDone" });
  });

  test("reads a row of the official JavaScript saver", async () => {
    const row = '{"seen":{"lc":2,"type":"constructor","id":["Set"],"method":null,"args":[[1]],"kwargs":{}}}';
    expect(await serializer.loadsTyped("json", Buffer.from(row))).toEqual({ seen: new Set([1]) });
  });

  test("rejects unknown type tags and malformed bytes", async () => {
    await expect(serializer.loadsTyped("pickle", "")).rejects.toBeInstanceOf(DeserializationError);
    await expect(serializer.loadsTyped("msgpack", Uint8Array.of(0xc1))).rejects.toMatchObject({
      typeTag: "msgpack",
      problem: "not a MessagePack value: the byte 0xc1 does not begin a value",
    });
  });
});
