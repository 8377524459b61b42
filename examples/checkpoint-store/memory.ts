import { MemoryCheckpointStore } from "../../src/checkpoint-store/index.js";
import { playPipeline } from "./pipeline.js";

/** The pipeline with its checkpoints in the memory of this process. */
export async function playInMemory(): Promise<void> {
  await using store = new MemoryCheckpointStore();
  await playPipeline(store);
}
