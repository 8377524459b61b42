import { describe, expect, it } from "@jest/globals";
import { ShallowPostgresSaver } from "../../src/index.js";
import {
  type CheckpointCipher,
  CompressedSerializer,
  EncryptedSerializer,
  JsonSerializer,
  MsgpackSerializer,
} from "../../src/serde/index.js";
import {
  allVersions,
  checkpointOf,
  metadataOf,
  newThread,
  putValues,
  threadConfig,
} from "../../test-support/checkpoints.js";
import { rowsOf } from "../../test-support/thread-rows.js";
import { describeAnyTarget } from "../../test-support/targets.js";
import { threadsInFormats } from "./threads-in-formats.js";
import { aes, FORMATS, gcm, LONG, NONE, WITH_KEY } from "./formats.js";

describeAnyTarget("the format of values that commands write", (target) => {
  const formats = threadsInFormats(target);
  const { saverOf, run, valuesOf } = formats;

  async function typesOf(thread: string, channel: string): Promise<readonly string[]> {
    const rows = await formats.database.query<{ type: string }>(
      "select type from checkpoint_blobs where thread_id = $1 and channel = $2 order by version",
      [thread, channel],
    );
    return rows.map(({ type }) => type);
  }

  it.each(FORMATS)("is the format of the thread: %s", async (_name, serde, env, type) => {
    const thread = newThread();
    const saver = saverOf(serde());
    await putValues(saver, threadConfig(thread), { plan: [LONG], tries: 1 });
    const set = ["--set", `plan=["B",${JSON.stringify(LONG)}]`, "--set", "tries=2", "--set", "added=[true]"];
    expect(await run(["fork", thread, ...set], env)).toMatchObject({ code: 0, stderr: "" });
    expect(await valuesOf(saver, thread)).toEqual({ plan: ["B", LONG], tries: 2, added: [true] });
    expect(await typesOf(thread, "plan")).toEqual([type, type]);
  });

  it("stores scalars in the header if the thread does so", async () => {
    for (const [serde, blobs] of [
      [undefined, 0],
      [new JsonSerializer(), 2],
    ] as const) {
      const thread = newThread();
      const saver = saverOf(serde);
      const { checkpoint } = await putValues(saver, threadConfig(thread), { done: true, tries: 1 });
      await run(["rollback", thread, checkpoint.id], WITH_KEY);
      expect(await rowsOf(formats.database, thread)).toEqual({ checkpoints: 2, blobs, writes: 0 });
      await run(["fork", thread, "--set", "tries=2"], WITH_KEY);
      expect(await rowsOf(formats.database, thread)).toEqual({
        checkpoints: 3,
        blobs: blobs && blobs + 1,
        writes: 0,
      });
      expect(await valuesOf(saver, thread)).toEqual({ done: true, tries: 2 });
    }
  });

  it("is MessagePack if this library continued a thread of JSON", async () => {
    const thread = newThread();
    const first = await putValues(saverOf(new JsonSerializer()), threadConfig(thread), { plan: ["A"] });
    const checkpoint = checkpointOf(saverOf(), { tries: 1 }, first.checkpoint);
    const versions = allVersions(checkpoint);
    const values = { plan: ["A"], tries: 1 };
    await saverOf().put(first.config, { ...checkpoint, channel_values: values }, metadataOf(1), versions);
    await run(["fork", thread, "--set", 'plan=["B"]', "--set", "tries=2"]);
    expect(await valuesOf(saverOf(), thread)).toEqual({ plan: ["B"], tries: 2 });
    expect([await typesOf(thread, "plan"), await typesOf(thread, "tries")]).toEqual([
      ["json", "msgpack"],
      [],
    ]);
  });

  it("is encrypted if a key is set and the thread has no values", async () => {
    for (const [env, types] of [
      [WITH_KEY, ["msgpack+aes"]],
      [NONE, ["msgpack"]],
    ] as const) {
      const thread = newThread();
      await putValues(saverOf(), threadConfig(thread), {});
      await run(["fork", thread, "--set", "plan=[1]"], env);
      expect(await typesOf(thread, "plan")).toEqual(types);
    }
  });

  it("is encrypted if the newest values are, even if those of the forked checkpoint are not", async () => {
    const thread = newThread();
    const first = await putValues(saverOf(), threadConfig(thread), { plan: ["A"] });
    await putValues(saverOf(aes()), first.config, { plan: ["B"] }, first.checkpoint);
    const argv = ["fork", thread, "--checkpoint", "head~1", "--set", 'plan=["secret"]'];
    expect(await run(argv)).toMatchObject({ code: 1 });
    expect(await run(argv, WITH_KEY)).toMatchObject({ code: 0 });
    expect((await typesOf(thread, "plan")).at(-1)).toBe("msgpack+aes");
  });

  const vault: CheckpointCipher = {
    encrypt: (plaintext) => ["vault", plaintext],
    decrypt: (_name, ciphertext) => ciphertext,
  };
  class OwnFormat extends MsgpackSerializer {
    override async dumpsTyped(value: unknown): Promise<[string, Uint8Array]> {
      return ["own", (await super.dumpsTyped(value))[1]];
    }
  }

  describe.each([
    ["AES-GCM", () => gcm(), WITH_KEY, /AES-256-GCM, and only the service that wrote it has the keys/],
    ["AES, without the key", () => aes(), NONE, /set the environment variable LANGGRAPH_AES_KEY to the key/],
    [
      "AES, with another key",
      () => aes(),
      { LANGGRAPH_AES_KEY: "fedcba9876543210" },
      /encrypted with another key/,
    ],
    ["another cipher", () => new EncryptedSerializer(vault), WITH_KEY, /"vault"/],
    ["a format of the service's own", () => new OwnFormat(), NONE, /"own"/],
  ])("is unsupported, and nothing is stored: %s", (_name, serde, env, reason) => {
    it.each(["plan", "added"])("in the channel %s", async (channel) => {
      const thread = newThread();
      await putValues(saverOf(serde()), threadConfig(thread), { plan: ["A"] });
      const before = await rowsOf(formats.database, thread);
      const { code, stdout, stderr } = await run(["fork", thread, "--set", `${channel}=["secret"]`], env);
      expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
      expect(stderr).toMatch(reason);
      expect(await rowsOf(formats.database, thread)).toEqual(before);
    });
  });

  it("does not matter if no value changes: no key is needed", async () => {
    for (const serde of [gcm(true), aes()]) {
      const thread = newThread();
      const saver = saverOf(serde);
      const first = await putValues(saver, threadConfig(thread), { plan: ["A"], tries: 1 });
      await putValues(saver, first.config, { plan: ["B"], tries: 2 }, first.checkpoint);
      expect(await run(["rollback", thread, first.checkpoint.id])).toMatchObject({ code: 0 });
      expect(await valuesOf(saver, thread)).toEqual({ plan: ["A"], tries: 1 });
      expect(await run(["fork", thread])).toMatchObject({ code: 0 });
      expect(await valuesOf(saver, thread)).toEqual({ plan: ["A"], tries: 1 });
    }
  });

  describe("in a copy", () => {
    it.each([[[]], [["--reencode"]]])(
      "can't be AES-GCM, which binds values to their thread: %j",
      async (options) => {
        const [thread, copy] = [newThread(), newThread()];
        const first = await putValues(saverOf(), threadConfig(thread), { plan: ["from before"] });
        await putValues(saverOf(gcm()), first.config, { plan: ["secret"] }, first.checkpoint);
        const { code, stdout, stderr } = await run(["copy", thread, copy, ...options], WITH_KEY);
        expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
        expect(stderr).toMatch(
          /^error: thread ".*", channel "plan": the value is encrypted [^\n]*AES-256-GCM, /,
        );
        expect(await rowsOf(formats.database, copy)).toEqual({ checkpoints: 0, blobs: 0, writes: 0 });
      },
    );

    it("is copied byte for byte for AES, without a key", async () => {
      const [thread, copy] = [newThread(), newThread()];
      const saver = saverOf(aes(new CompressedSerializer()));
      const { config } = await putValues(saver, threadConfig(thread), { plan: ["secret", LONG], tries: 1 });
      await saver.putWrites(config, [["plan", "written"]], "task");
      expect(await run(["copy", thread, copy])).toMatchObject({ code: 0 });
      expect(await valuesOf(saver, copy)).toEqual({ plan: ["secret", LONG], tries: 1 });
      const written = (await saver.getTuple(threadConfig(copy)))?.pendingWrites;
      expect(written).toEqual([["task", "plan", "written"]]);
    });
  });

  it("is the format of the thread for shallow savers too", async () => {
    const thread = newThread();
    await using saver = new ShallowPostgresSaver(formats.database.source, aes());
    const first = await putValues(saver, threadConfig(thread), { plan: ["A"] });
    await putValues(saver, first.config, { plan: ["B"] }, first.checkpoint);
    expect(await run(["fork", thread, "--set", 'plan=["C"]'], WITH_KEY)).toMatchObject({ code: 0 });
    expect(await saver.getTuple(threadConfig(thread))).toMatchObject({
      checkpoint: { channel_values: { plan: ["C"] } },
    });
    expect((await typesOf(thread, "plan")).at(-1)).toBe("msgpack+aes");
  });
});
