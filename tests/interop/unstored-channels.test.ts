import { expect, it } from "@jest/globals";
import { besidePython } from "./beside-python.js";
import { describePythonGraphs } from "./python-graphs.js";
import { configOf } from "./two-languages.js";

interface BlobKey extends Record<string, unknown> {
  readonly channel: string;
  readonly version: string;
}

await describePythonGraphs("a channel of Python without a row", (target, start) => {
  const shared = besidePython(target, start);

  const run = (thread: string, details: Record<string, unknown> = {}) =>
    shared.python.do("run", { graph: "channels", thread, input: { log: ["in"] }, ...details });

  async function problemsOf(thread: string): Promise<string[]> {
    const { problems } = await shared.saver.verify(thread);
    return [
      ...new Set(problems.map(({ kind, severity, channel = "" }) => `${severity} ${kind} ${channel}`)),
    ].sort();
  }

  it("is not a problem of a thread, and is not rebuilt", async () => {
    await run("healthy");
    await run("healthy");
    expect(await problemsOf("healthy")).toEqual([]);
    expect(await shared.saver.rebuildBlobs(configOf("healthy"), {})).toEqual([]);
  });

  it("is distinguished from every lost value", async () => {
    await run("damaged");
    await shared.python.do("update", {
      ...{ graph: "channels", thread: "damaged", as: "wait" },
      values: { log: ["update"], passing: ["update"] },
    });
    const blobs = await shared.database.query<BlobKey>(
      `select channel, version from checkpoint_blobs
       where thread_id = 'damaged' and channel in ('log', 'passing') order by channel, version`,
    );
    expect(blobs.length).toBeGreaterThan(5);
    await shared.database.exec(
      "create table kept as select * from checkpoint_blobs where thread_id = 'damaged'",
    );
    for (const { channel, version } of blobs) {
      await shared.database.query(
        "delete from checkpoint_blobs where thread_id = 'damaged' and channel = $1 and version = $2",
        [channel, version],
      );
      const { problems } = await shared.saver.verify("damaged");
      expect(problems.filter(({ severity }) => severity === "error")).toContainEqual(
        expect.objectContaining({ kind: "missing-value", channel, version }),
      );
      await shared.database.exec("insert into checkpoint_blobs select * from kept on conflict do nothing");
    }
    await shared.database.exec(
      "delete from checkpoint_blobs where thread_id = 'damaged' and channel = 'agreed'",
    );
    expect(await problemsOf("damaged")).toEqual(["error missing-value agreed"]);
  });

  it("is a notice if no row shows whether it was empty, and is rebuilt only with a reducer", async () => {
    await run("exit", { durability: "exit" });
    const notices = ["agreed", "passing", "untracked"].map((channel) => `notice missing-value ${channel}`);
    expect(await problemsOf("exit")).toEqual(notices);
    expect(await shared.saver.rebuildBlobs(configOf("exit"), {})).toEqual([]);
    await expect(
      shared.saver.rebuildBlobs(configOf("exit"), { agreed: (_, update) => update }),
    ).rejects.toThrow(/agreed/);

    await run("updated");
    await shared.python.do("update", {
      ...{ graph: "channels", thread: "updated", as: "wait" },
      values: { untracked: ["update"] },
    });
    expect(await problemsOf("updated")).toEqual(["notice missing-value untracked"]);
  });

  it("is a notice in a thread that Python has pruned", async () => {
    await run("pruned");
    await shared.python.do("prune", { thread: "pruned" });
    expect(await problemsOf("pruned")).toEqual(
      ["agreed", "passing", "untracked"].map((channel) => `notice missing-value ${channel}`),
    );
  });
});
