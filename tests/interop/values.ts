import { afterAll, beforeAll, expect, it } from "@jest/globals";
import { AIMessage, AIMessageChunk, HumanMessage, ToolMessage } from "@langchain/core/messages";
import fc from "fast-check";
import { z } from "zod";
import { decode } from "../../src/serde/msgpack/msgpack-decoder.js";
import { encode } from "../../src/serde/msgpack/msgpack-encoder.js";
import { pack } from "../../src/serde/msgpack/wire.js";
import { value } from "../../src/serde/test-support/values.js";
import { nextId } from "../../test-support/checkpoints.js";
import { describeServer } from "../../test-support/targets.js";
import { configOf, TwoLanguages } from "./two-languages.js";

const foundShape = z.object({ differences: z.array(z.string()) });
const readShape = z.object({ values: z.array(z.string()) });

/** Values of one language that the other reads and writes, in any containers. */
export function describeValues(interpreter: string): void {
  describeServer("a value in the other language", (target) => {
    let both: TwoLanguages;
    beforeAll(async () => {
      both = await TwoLanguages.start(target, interpreter);
    });
    afterAll(() => both.end());

    async function readInPython(values: readonly unknown[], strict: boolean): Promise<string[]> {
      const blobs = values.map((each) => Buffer.from(encode(each)).toString("base64"));
      return readShape.parse(await both.python.do("read", { blobs, strict })).values;
    }

    it.each([
      { thread: "untouched", where: "a channel that TypeScript does not write to", written: false },
      { thread: "written", where: "a channel that TypeScript writes", written: true },
    ])("from Python is read back equal in Python, in $where", async ({ thread, written }) => {
      const checkpoint = nextId();
      await both.python.do("offer", { thread, checkpoint, seed: 7, random: 60 });
      const tuple = await both.saver.getTuple(configOf(thread));
      if (tuple === undefined) throw new Error("Python stored nothing");
      const { channel_versions: versions } = tuple.checkpoint;
      const newVersions = written
        ? Object.fromEntries(Object.keys(versions).map((name) => [name, both.saver.getNextVersion("1")]))
        : {};
      await both.saver.put(
        tuple.config,
        { ...tuple.checkpoint, id: nextId(), channel_versions: { ...versions, ...newVersions } },
        { source: "loop", step: 2, parents: {} },
        newVersions,
      );
      const found = foundShape.parse(await both.python.do("kept", { thread, checkpoint, written }));
      expect(found).toEqual({ differences: [] });
    });

    it("from TypeScript never makes Python's reader fail", async () => {
      const read = await readInPython(fc.sample(value, { seed: 11, numRuns: 600 }), false);
      expect(read.filter((reading) => reading.startsWith("raised"))).toEqual([]);
    });

    it("is a message that Python's own classes accept, also with fields that have no value", async () => {
      const usage = {
        input_tokens: 1,
        output_tokens: 2,
        total_tokens: 3,
        input_token_details: { audio: undefined },
      };
      const messages = [
        Object.assign(new AIMessage("hi"), { usage_metadata: usage, name: undefined }),
        Object.assign(new AIMessageChunk("hi"), { usage_metadata: usage, response_metadata: undefined }),
        Object.assign(new ToolMessage("ok", "c"), { status: undefined, additional_kwargs: undefined }),
        Object.assign(new HumanMessage([{ type: "text", text: "hi" }]), { id: undefined, extra: undefined }),
      ];
      const blobs = messages.map((message) => Buffer.from(encode(message)).toString("base64"));
      expect(await both.python.do("checked", { blobs })).toEqual({ problems: [] });
    });

    it.each([
      ["by default", false],
      ["with strict MessagePack in Python", true],
    ])(
      "is a dict in Python if it was a dict, also after keys were deleted, or if it is an object: %s",
      async (_, strict) => {
        const maps = [[], [1], ["a"], [1, "a"]].map((deleted) => {
          const map = decode(
            pack(
              new Map<unknown, unknown>([
                [1, 2],
                ["a", 3],
              ]),
            ),
          );
          if (map instanceof Map) for (const key of deleted) map.delete(key);
          return map;
        });
        const bare: unknown = Object.assign(Object.create(null) as object, { a: 1 });
        const read = await readInPython([...maps, bare], strict);
        expect(read).toEqual(["{1: 2, 'a': 3}", "{'a': 3}", "{1: 2}", "{}", "{'a': 1}"]);
      },
    );
  });
}
