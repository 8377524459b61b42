import type { ThreadStatus } from "../../../api/threads.js";
import { graphToRun } from "../../parts/graph-choice.js";
import { fileAddress, hasType, read, send, write } from "../../server/call-server.js";
import { runToEnd } from "../../server/use-run.js";

/** What can be done with many threads. */
export type ManyAction = "retry" | "continue" | "export" | "delete";

/** What became of a thread. */
export type Outcome =
  /** What it is now; the file of an export. */
  | { readonly isDone: true; readonly status?: ThreadStatus; readonly file?: string }
  /** Why nothing was done. */
  | { readonly isDone: false; readonly problem: string; readonly graphs?: readonly string[] };

/** The forms of an export that several threads fit in one file of. */
export type ExportForm = "conversation" | "state";

/** What a person has chosen. */
interface ManyChoice {
  readonly action: ManyAction;
  readonly form: ExportForm;
  /** The graph for the threads that nothing names one for. */
  readonly graph: string | undefined;
}

/** Does something with one of many threads. */
export async function doWith(threadId: string, { action, form, graph }: ManyChoice): Promise<Outcome> {
  try {
    switch (action) {
      case "delete":
        await write("deleteThread", { threadId });
        return { isDone: true };
      case "export":
        return { isDone: true, file: await exported(threadId, form) };
      case "retry":
      case "continue":
        return await goOn(threadId, action === "retry" ? "failed" : "pending", graph);
    }
  } catch (error) {
    return { isDone: false, problem: error instanceof Error ? error.message : String(error) };
  }
}

async function goOn(threadId: string, wanted: ThreadStatus, chosen: string | undefined): Promise<Outcome> {
  const thread = await read("openThread", { threadId });
  const { checkpointId, status, reason } = thread;
  if (checkpointId === undefined || status !== wanted)
    return { isDone: false, problem: "It has gone on meanwhile." };
  const graph = graphToRun(thread, chosen);
  if (graph === undefined)
    return { isDone: false, problem: reason, graphs: thread.graphs.map(({ name }) => name) };
  await runToEnd({ threadId, checkpointId, graph, kind: "continue" });
  return { isDone: true, status: (await read("openThread", { threadId })).status };
}

async function exported(threadId: string, form: ExportForm): Promise<string> {
  return send(fileAddress("export", { threadId, namespace: "", form }), {}, (response) =>
    hasType(response, "application/octet-stream") ? response.text() : undefined,
  );
}

/** Saves the files of an export as one. */
export function saveFiles(files: readonly string[], form: ExportForm): void {
  const [text, type, name] =
    form === "state"
      ? [`[${files.join(",\n")}]\n`, "application/json", "threads.json"]
      : [files.join("\n\n---\n\n"), "text/markdown", "threads.md"];
  const link = document.createElement("a");
  const href = URL.createObjectURL(new Blob([text], { type }));
  Object.assign(link, { href, download: name });
  link.click();
  URL.revokeObjectURL(href);
}
