import { Annotation, END, Send, START, StateGraph } from "@langchain/langgraph";
import type { CheckpointSaver } from "../../src/index.js";
import type { Clock } from "./clock.js";

const LIBRARIES = ["Vienna", "Lisbon", "Oslo", "Kyoto"];

const State = Annotation.Root({
  question: Annotation<string>,
  findings: Annotation<Finding[]>({ reducer: (known, found) => [...known, ...found], default: () => [] }),
  report: Annotation<string>,
});

interface Finding {
  readonly library: string;
  readonly title: string;
  readonly pages: number;
}

const Report = Annotation.Root({
  findings: Annotation<Finding[]>,
  draft: Annotation<string>,
  remarks: Annotation<string[]>({ reducer: (all, more) => [...all, ...more], default: () => [] }),
  report: Annotation<string>,
});

/** Searches several libraries in parallel, each in a task of its own, and writes a report in a subgraph. */
export function createResearchGraph(checkpointer: CheckpointSaver, clock: Clock) {
  return new StateGraph(State)
    .addNode("search", ({ library, question }: { library: string; question: string }) => {
      clock.now += 400;
      return {
        findings: [{ library, title: `${question}: the view of ${library}`, pages: library.length * 37 }],
      };
    })
    .addNode("write", createReportGraph(clock))
    .addConditionalEdges(START, ({ question }) =>
      LIBRARIES.map((library) => new Send("search", { library, question })),
    )
    .addEdge("search", "write")
    .addEdge("write", END)
    .compile({ checkpointer });
}

function createReportGraph(clock: Clock) {
  return new StateGraph(Report)
    .addNode("outline", ({ findings }) => {
      clock.now += 2_000;
      return { draft: findings.map(({ library, title }) => `## ${library}\n\n${title}.`).join("\n\n") };
    })
    .addNode("review", () => {
      clock.now += 5_000;
      return { remarks: ["The part about Oslo is short.", "Name the pages."] };
    })
    .addNode("finish", ({ draft, findings, remarks }) => {
      clock.now += 3_000;
      const pages = findings.reduce((sum, finding) => sum + finding.pages, 0);
      return { report: `${draft}\n\n${pages} pages were read, ${remarks.length} remarks were heeded.` };
    })
    .addEdge(START, "outline")
    .addEdge("outline", "review")
    .addEdge("review", "finish")
    .compile();
}
