/** The engines of the programs: the copy that the package loads too, and a copy of another version. */
const ENGINES = ["@langchain/langgraph", "langgraph-oldest"];

/**
 * Programs that run a graph with stored tasks on each of {@link ENGINES}, one program of each module system. They print a
 * line of JSON for each engine: what the graph did by saver, and whether a Send in the state is one of the engine's. Their
 * argument is the connection string of an empty database.
 */
export const GRAPH_PROGRAMS = {
  "import.mjs": graphProgram((path) => `await import(${path})`),
  "require.cjs": graphProgram((path) => `require(${path})`),
};

function graphProgram(load: (path: string) => string): string {
  const loaded = (path: string): string => load(JSON.stringify(path));
  return `
async function main() {
  const { PostgresSaver } = ${loaded("langgraph-checkpoint-kysely")};
  const { JsonSerializer, MsgpackSerializer } = ${loaded("langgraph-checkpoint-kysely/serde")};
  const engines = [${ENGINES.map(loaded).join(", ")}];
  const url = process.argv[2];
  const saver = new PostgresSaver(url, new MsgpackSerializer());
  await saver.setup();
  for (const [index, engine] of engines.entries()) {
    const savers = {
      memory: new engine.MemorySaver(),
      MessagePack: saver,
      JSON: new PostgresSaver(url, new JsonSerializer()),
    };
    const told = {};
    for (const [name, saver] of Object.entries(savers))
      told[name] = [
        await runGraph(engine, saver, name + index, "task"),
        await runGraph(engine, saver, name + index + "end", "end"),
      ];
    console.log(JSON.stringify(told));
  }
}
// The compiler of the tests writes calls of this into the function below.
const __name = (named) => named;
${runGraph.toString()}
main().then(() => process.exit());
`;
}

/**
 * The graph of LangGraph's own test for Sends and Commands: a task is given a Command and returns it, and the Command
 * starts another task. It is interrupted while all of that is stored, and goes on from there.
 */
async function runGraph(
  {
    Annotation,
    Command,
    isCommand,
    interrupt,
    Send,
    START,
    StateGraph,
  }: typeof import("@langchain/langgraph"),
  checkpointer: import("@langchain/langgraph").BaseCheckpointSaver,
  threadId: string,
  pausedNode: "task" | "end",
): Promise<object> {
  const State = Annotation.Root({
    items: Annotation<string[]>({ reducer: (items, more) => items.concat(more), default: () => [] }),
    kept: Annotation<unknown>,
  });
  const says = (name: string) => (input: unknown) => {
    const item = isCommand(input) ? "a Command" : typeof input === "number" ? String(input) : "the state";
    const update = { items: [name + " of " + item] };
    return isCommand(input) ? Object.assign(input, { update }) : update;
  };
  const sends = [3, 4].map((item) => new Send("task", new Command({ goto: new Send("task", item) })));
  const graph = new StateGraph(State)
    .addNode("plan", says("plan"))
    .addNode("task", says("task"), { ends: ["task"] })
    .addNode("ask", () => ({ items: [`ask and hear ${interrupt<string, string>("?")}`] }))
    .addNode("end", says("end"))
    .addEdge(START, "plan")
    .addEdge(START, "ask")
    .addConditionalEdges("plan", () => sends, ["task"])
    .addEdge("task", "end")
    .compile({ checkpointer, interruptBefore: [pausedNode] });
  const thread = { configurable: { thread_id: threadId } };
  // While the question is open, the tasks of the plan are pending writes; before a pause, the tasks that follow it are a value.
  await graph.invoke({ kept: new Send("task", 5) }, thread);
  await graph.invoke(new Command({ resume: "yes" }), thread);
  await graph.invoke(null, thread);
  await graph.invoke(null, thread);
  const { values } = (await graph.getState(thread)) as { values: typeof State.State };
  return { items: values.items, isSend: values.kept instanceof Send };
}
