import { afterAll, beforeAll, expect, it } from "@jest/globals";
import { PostgresSaver } from "../../src/index.js";
import { newThread, putValues, threadConfig } from "../../test-support/checkpoints.js";
import { describeAnyTarget } from "../../test-support/targets.js";

describeAnyTarget("branches", (target) => {
  let saver: PostgresSaver;

  beforeAll(async () => {
    saver = new PostgresSaver((await target.migratedDatabase()).source);
  });
  afterAll(() => saver.end());

  it("gives two branches of one checkpoint their own values", async () => {
    const root = await putValues(saver, threadConfig(newThread()), { messages: ["root"] });
    const left = await putValues(saver, root.config, { messages: ["left"] }, root.checkpoint);
    const right = await putValues(saver, root.config, { messages: ["right"] }, root.checkpoint);

    const valueOf = async (config: typeof left.config) =>
      (await saver.getTuple(config))?.checkpoint.channel_values.messages;
    expect(await valueOf(left.config)).toEqual(["left"]);
    expect(await valueOf(right.config)).toEqual(["right"]);
    expect(await valueOf(root.config)).toEqual(["root"]);
  });

  it("gives two branches of a thread with integer versions their own values", async () => {
    const root = await putValues(saver, threadConfig(newThread()), { messages: ["root"] });
    // The numbering of the official JavaScript saver.
    root.checkpoint.channel_versions.messages = 1;
    const left = await putValues(saver, root.config, { messages: ["left"] }, root.checkpoint);
    const right = await putValues(saver, root.config, { messages: ["right"] }, root.checkpoint);

    expect(typeof left.checkpoint.channel_versions.messages).toBe("number");
    expect((await saver.getTuple(left.config))?.checkpoint.channel_values.messages).toEqual(["left"]);
    expect((await saver.getTuple(right.config))?.checkpoint.channel_values.messages).toEqual(["right"]);
  });

  it("keeps the values of an older checkpoint when later ones change the channel", async () => {
    let last = await putValues(saver, threadConfig(newThread()), { counter: { n: 0 } });
    const first = last;
    for (let n = 1; n < 5; n++)
      last = await putValues(saver, last.config, { counter: { n } }, last.checkpoint);
    expect((await saver.getTuple(first.config))?.checkpoint.channel_values).toEqual({ counter: { n: 0 } });
    expect((await saver.getTuple(last.config))?.checkpoint.channel_values).toEqual({ counter: { n: 4 } });
  });
});
