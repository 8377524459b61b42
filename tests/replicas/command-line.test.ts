import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { PostgresSaver } from "../../src/index.js";
import { putValues, threadConfig } from "../../test-support/checkpoints.js";
import { InspectorCalls } from "../../test-support/inspector-calls.js";
import { cli } from "../cli/cli.js";
import { Replicated } from "./replicated.js";

describe("the command line on a replica", () => {
  let servers: Replicated;
  beforeAll(async () => {
    servers = await Replicated.start();
    const { saver } = servers.open();
    const { config, checkpoint } = await putValues(saver, threadConfig("42"), { plan: "A", list: [1] });
    const next = await putValues(saver, config, { plan: "B", list: [1, 2] }, checkpoint);
    await saver.putWrites(next.config, [["plan", "C"]], "task");
    await saver.end();
    await servers.catchUp();
  });
  afterAll(() => servers.remove());

  it.each([
    ...["threads", "show 42", "state 42", "writes 42", "stats", "stats 42", "verify", "export", "tombstones"],
    ...["prune --keep-last 1 --dry-run", "migrate status"],
  ])("prints by `%s` what it prints on the primary", async (line) => {
    const argv = line.split(" ");
    const onPrimary = await cli([...argv, "--url", servers.primary.url]);
    expect(onPrimary).toMatchObject({ code: 0 });
    expect(await cli([...argv, "--url", servers.standby.url])).toEqual(onPrimary);
  });

  it("reports by `doctor` that the server accepts no writes", async () => {
    const { code, stdout } = await cli(["doctor", "--url", servers.standby.url]);
    expect(code).toBe(1);
    expect(stdout).toMatch(/error +read-only +the server is in recovery/);
  });

  it("refuses at once what it can't write there, and says where it can", async () => {
    for (const line of ["copy 42 43", "delete 42 --yes", "prune --keep-last 1 --yes", "rollback 42 head~1"]) {
      const { code, stderr } = await cli([...line.split(" "), "--url", servers.standby.url]);
      expect({ line, code, stderr }).toEqual({
        ...{ line, code: 1 },
        stderr: "error: the server is a standby, which takes no writes: connect to the primary\n",
      });
    }
  });

  it("serves the pages of the inspector, which change nothing", async () => {
    const saver = new PostgresSaver(servers.standby.url);
    const calls = new InspectorCalls(saver);
    const place = { threadId: "42" };
    expect((await calls.read("threads", {})).threads).toMatchObject([place]);
    expect((await calls.read("thread", place)).namespaces).toHaveLength(1);
    expect((await calls.read("storage", place)).total.checkpoints).toBe(2);
    await saver.end();
  });
});
