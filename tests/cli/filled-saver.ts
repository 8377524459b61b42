import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const PACKAGE = pathToFileURL(createRequire(import.meta.url).resolve("@langchain/langgraph-checkpoint")).href;

/** The code of a module: `saver` is a MemorySaver with two threads of two checkpoints. */
export const FILLED_SAVER = `
  import { MemorySaver } from "${PACKAGE}";
  const saver = new MemorySaver();
  const metadata = { source: "loop", step: 0, parents: {} };
  for (const thread_id of ["42", "43"]) {
    let config = { configurable: { thread_id, checkpoint_ns: "" } };
    for (const id of ["1", "2"]) {
      const ts = "2026-11-28T00:00:00.000Z";
      const checkpoint = { v: 4, id, ts, channel_values: { n: id }, channel_versions: { n: Number(id) }, versions_seen: {} };
      config = await saver.put(config, checkpoint, metadata, {});
    }
  }
`;
