import { z } from "zod";

const OpenThread = z.object({ checkpointId: z.string(), questions: z.array(z.object({ key: z.string() })) });

/** Approves a refund by the calls that the page of the inspector makes, and waits until the run has ended. */
export async function approve(url: string, token: string, threadId: string, boundMs: number): Promise<void> {
  const signal = AbortSignal.timeout(boundMs);
  const { origin } = new URL(url);
  const headers = {
    authorization: `Basic ${Buffer.from(`supervisor:${token}`).toString("base64")}`,
    "content-type": "application/json",
    // The inspector takes nothing from other sites.
    origin,
  };
  const post = (path: string, body: object): Promise<Response> =>
    fetch(`${url}/inspect/${path}`, { method: "POST", headers, body: JSON.stringify(body), signal });
  const open = await post("api/openThread", { threadId });
  const { checkpointId, questions } = OpenThread.parse(await bodyOf(open));
  const answers = questions.map(({ key }) => ({ key, decisions: [{ type: "approve" }] }));
  const run = await post("run", { threadId, graph: "assistant", checkpointId, kind: "answer", answers });
  if (!run.ok) await bodyOf(run);
  // The stream tells what the run does, and ends with it.
  await run.text();
}

async function bodyOf(response: Response): Promise<unknown> {
  const text = await response.text();
  if (!response.ok) throw new Error(`${response.status} ${text.slice(0, 200)}`);
  return JSON.parse(text);
}
