/**
 * What a process of a serverless function does: it imports a saver, makes one run of an agent, and ends. Without a connection string it only
 * imports the saver. Tells its parent how long the import took: start-process.ts <package> [<connection string>]
 */
import type { PostgresSaver } from "../../src/index.js";

const [packageName = "", url] = process.argv.slice(2);

const start = performance.now();
// The name is not a literal, so TypeScript does not resolve it: types are checked before there is a build.
const library = (await import(import.meta.resolve(packageName))) as { PostgresSaver: typeof PostgresSaver };
process.send?.(performance.now() - start);
if (url !== undefined) await runAgent(library.PostgresSaver.fromConnString(url));
process.disconnect();

async function runAgent(checkpointer: PostgresSaver): Promise<void> {
  const { MessagesAnnotation, START, StateGraph } = await import("@langchain/langgraph");
  await checkpointer.setup();
  const graph = new StateGraph(MessagesAnnotation)
    .addNode("plan", () => ({ messages: [{ role: "assistant", content: "I look it up." }] }))
    .addNode("answer", () => ({ messages: [{ role: "assistant", content: "Hello!" }] }))
    .addEdge(START, "plan")
    .addEdge("plan", "answer")
    .compile({ checkpointer });
  const config = { configurable: { thread_id: crypto.randomUUID() } };
  await graph.invoke({ messages: [{ role: "user", content: "Hi" }] }, config);
  await checkpointer.end();
}
