/** The LangGraph packages of the programs: the copy that this package loads, and a copy of another version. */
const ENGINES = ["@langchain/langgraph", "langgraph-oldest"];

/**
 * Programs that run a graph with stored tasks on each of {@link ENGINES}, one for each module system. They print a line of JSON
 * for each engine: the items of the graph by saver, and whether a Send in the state is an instance of the engine's class. Their
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
    const results = {};
    for (const [name, saver] of Object.entries(savers))
      results[name] = [
        await runGraph(engine, saver, name + index, "task"),
        await runGraph(engine, saver, name + index + "end", "end"),
      ];
    console.log(JSON.stringify(results));
  }
}
// The compiler of the tests adds calls of this function to the one below.
const __name = (named) => named;
${runGraph.toString()}
main().then(() => process.exit());
`;
}

/**
 * The graph of LangGraph's own test for Sends and Commands: a task receives a Command and returns it, and the Command starts
 * another task. The graph is interrupted while these tasks are stored, and continues from the checkpoint.
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
  const nodeOf = (name: string) => (input: unknown) => {
    const item = isCommand(input) ? "a Command" : typeof input === "number" ? String(input) : "the state";
    const update = { items: [name + " of " + item] };
    return isCommand(input) ? Object.assign(input, { update }) : update;
  };
  const tasks = [3, 4].map((item) => new Send("task", new Command({ goto: new Send("task", item) })));
  const graph = new StateGraph(State)
    .addNode("plan", nodeOf("plan"))
    .addNode("task", nodeOf("task"), { ends: ["task"] })
    .addNode("ask", () => ({ items: [`ask and hear ${interrupt<string, string>("?")}`] }))
    .addNode("end", nodeOf("end"))
    .addEdge(START, "plan")
    .addEdge(START, "ask")
    .addConditionalEdges("plan", () => tasks, ["task"])
    .addEdge("task", "end")
    .compile({ checkpointer, interruptBefore: [pausedNode] });
  const thread = { configurable: { thread_id: threadId } };
  // During the interrupt, the tasks of the plan are stored as pending writes. Before `pausedNode`, the next tasks are stored as a value.
  await graph.invoke({ kept: new Send("task", 5) }, thread);
  await graph.invoke(new Command({ resume: "yes" }), thread);
  await graph.invoke(null, thread);
  await graph.invoke(null, thread);
  const { values } = (await graph.getState(thread)) as { values: typeof State.State };
  return { items: values.items, isSend: values.kept instanceof Send };
}
