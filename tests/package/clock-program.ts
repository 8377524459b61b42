/**
 * A program that runs one turn of a thread on each kind of saver, as a service on another machine does. It loads everything, prints
 * `ready`, and runs the turns when it gets a line. Then it prints what each turn has answered, or the code of its error. Its argument is
 * the connection string of a migrated database. Each thread has the name of its saver.
 */
export const CLOCK_PROGRAM = `
import { once } from "node:events";
import { Annotation, START, StateGraph } from "@langchain/langgraph";
import { PostgresSaver, ShallowPostgresSaver } from "langgraph-checkpoint-kysely";
const url = process.argv[2];
const savers = {
  full: PostgresSaver.fromConnString(url),
  keepLast: PostgresSaver.fromConnString(url, { keepLast: 3 }),
  shallow: ShallowPostgresSaver.fromConnString(url),
};
const n = Annotation({ reducer: (sum, added) => sum + added, default: () => 0 });
const graph = new StateGraph(Annotation.Root({ n })).addNode("turn", () => ({ n: 1 })).addEdge(START, "turn");
console.log("ready");
await once(process.stdin, "data");
const answers = await Promise.all(
  Object.entries(savers).map(async ([thread_id, checkpointer]) => {
    const answer = graph.compile({ checkpointer }).invoke({ n: 0 }, { configurable: { thread_id } });
    return [thread_id, await answer.then((state) => state.n, (error) => error.code)];
  }),
);
await Promise.all(Object.values(savers).map((saver) => saver.end()));
console.log(JSON.stringify(Object.fromEntries(answers)));
`;
