import { Annotation, START, StateGraph } from "@langchain/langgraph";
import type { CheckpointSaver } from "../../src/index.js";
import type { Clock } from "./clock.js";

const State = Annotation.Root({ document: Annotation<string>, chapters: Annotation<number> });

/** Writes a document, a chapter a step. The document is most of each checkpoint, and splices store only what is new. */
export function createDocumentGraph(checkpointer: CheckpointSaver, clock: Clock, chapters: number) {
  return new StateGraph(State)
    .addNode("write_chapter", ({ document, chapters: written }) => {
      clock.now += 60_000;
      return { document: document + chapter(written + 1), chapters: written + 1 };
    })
    .addEdge(START, "write_chapter")
    .addConditionalEdges("write_chapter", ({ chapters: written }) =>
      written < chapters ? "write_chapter" : "__end__",
    )
    .compile({ checkpointer });
}

// No sentence occurs twice, so that a splice can't save more than it would with real text.
function chapter(number: number): string {
  const sentences = Array.from({ length: 60 }, (_, at) => {
    const mark = ((number * 7_919 + at * 104_729) % 1_000_003).toString(36);
    return `Sentence ${at + 1} of chapter ${number} has the mark ${mark}.`;
  });
  return `# Chapter ${number}\n\n${sentences.join(" ")}\n\n`;
}
