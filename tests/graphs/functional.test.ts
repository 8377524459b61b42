import { expect, it } from "@jest/globals";
import { Command, entrypoint, getPreviousState, interrupt, task } from "@langchain/langgraph";
import { describeGraphs } from "./support/describe-graphs.js";

describeGraphs("an entrypoint with tasks", (suite) => {
  it("does not run a finished task again when it is resumed", async () => {
    const runs: string[] = [];
    const slow = task("slow", (name: string) => {
      runs.push(name);
      return { name, at: new Date(runs.length) };
    });
    const workflow = entrypoint({ name: "workflow", checkpointer: suite.saver }, async (names: string[]) => {
      const done = await Promise.all(names.map((name) => slow(name)));
      const answer: unknown = interrupt(done.length);
      return { done, answer };
    });
    const thread = suite.newThread();

    expect(await workflow.invoke(["a", "b", "c"], thread)).toMatchObject({ __interrupt__: [{ value: 3 }] });
    const result = await workflow.invoke(new Command({ resume: "yes" }), thread);

    expect(result).toEqual({
      done: ["a", "b", "c"].map((name, index) => ({ name, at: new Date(index + 1) })),
      answer: "yes",
    });
    expect(runs).toEqual(["a", "b", "c"]);
  });

  it("does not run a finished task again when it is called again after a failure", async () => {
    const runs: string[] = [];
    let broken = true;
    const step = task("step", (name: string) => {
      runs.push(name);
      if (name === "second" && broken) throw new Error("broken");
      return name;
    });
    const workflow = entrypoint({ name: "workflow", checkpointer: suite.saver }, async () => [
      await step("first"),
      await step("second"),
    ]);
    const thread = suite.newThread();
    await expect(workflow.invoke("go", thread)).rejects.toThrow("broken");

    broken = false;
    expect(await workflow.invoke(null, thread)).toEqual(["first", "second"]);
    expect(runs).toEqual(["first", "second", "second"]);
  });

  it("receives the value that its previous call returned or saved", async () => {
    const workflow = entrypoint({ name: "sum", checkpointer: suite.saver }, (added: number) => {
      const before = getPreviousState<Map<string, number> | undefined>()?.get("sum") ?? 0;
      const kept = new Map([["sum", before + added]]);
      return entrypoint.final({ value: `was ${before}`, save: kept });
    });
    const thread = suite.newThread();

    expect(await workflow.invoke(1, thread)).toBe("was 0");
    expect(await workflow.invoke(2, thread)).toBe("was 1");
    expect(await workflow.invoke(3, thread)).toBe("was 3");
  });

  it("waits for each of several answers in turn", async () => {
    const ask = task("ask", (question: string): unknown => interrupt(question));
    const workflow = entrypoint({ name: "form", checkpointer: suite.saver }, async (questions: string[]) => {
      const answers: unknown[] = [];
      for (const question of questions) answers.push(await ask(question));
      return answers;
    });
    const thread = suite.newThread();

    expect(await workflow.invoke(["name?", "age?"], thread)).toMatchObject({
      __interrupt__: [{ value: "name?" }],
    });
    expect(await workflow.invoke(new Command({ resume: "Ada" }), thread)).toMatchObject({
      __interrupt__: [{ value: "age?" }],
    });
    expect(await workflow.invoke(new Command({ resume: 36 }), thread)).toEqual(["Ada", 36]);
  });
});
